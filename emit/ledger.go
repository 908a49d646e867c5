package emit

import (
	"maps"
	"math"
	"time"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/wire"
)

// maxHops is how many hops a route_history holds (contract section 2).
const maxHops = 1000

// A ledger counts what a result tells where the program tells nothing.
// Guarded by the emitter's lock.
type ledger struct {
	turns  int
	route  []event.Hop
	models map[string]event.Usage
	cost   float64
	costs  bool   // a cost was added
	text   []byte // of the last top-level assistant message
	events bool   // anything but init was written
	tools  bool   // a tool was called
}

// take keeps the text of a top-level message, its text blocks joined, and
// reports whether it has any: one that only calls tools or thinks does not
// replace the answer before it.
func (g *ledger) take(fx *wire.Effects) bool {
	size := 0
	for _, b := range fx.Blocks {
		if b.Kind == wire.TextBlock {
			size += len(fx.Text(b))
		}
	}
	if size == 0 {
		return false
	}
	g.text = g.text[:0]
	for _, b := range fx.Blocks {
		if b.Kind == wire.TextBlock {
			g.text = append(g.text, fx.Text(b)...)
		}
	}
	return true
}

// hop adds a hop of the route at the current turn.
func (g *ledger) hop(target string) {
	if target != "" && len(g.route) < maxHops {
		g.route = append(g.route, event.Hop{Turn: g.turns, Target: target})
	}
}

// addUsage adds tokens of a model; negative counts and sums beyond int64 stay
// at the limit.
func (g *ledger) addUsage(model string, u event.Usage) {
	if model == "" {
		model = "unknown"
	}
	if g.models == nil {
		g.models = map[string]event.Usage{}
	}
	g.models[model] = addUsage(g.models[model], u)
}

func addUsage(a, b event.Usage) event.Usage {
	return event.Usage{
		InputTokens:   addCount(a.InputTokens, b.InputTokens),
		OutputTokens:  addCount(a.OutputTokens, b.OutputTokens),
		CacheRead:     addCount(a.CacheRead, b.CacheRead),
		CacheCreation: addCount(a.CacheCreation, b.CacheCreation),
	}
}

func addCount(a, b int64) int64 {
	b = max(b, 0)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// addCost adds dollars; what is no cost is left out.
func (g *ledger) addCost(usd float64) {
	if usd >= 0 && !math.IsInf(usd+g.cost, 0) {
		g.cost += usd
		g.costs = true
	}
}

// settle fills in what res leaves unset. The usage stays absent where none is
// known.
func (g *ledger) settle(res *event.Result, text string, elapsed time.Duration) {
	if res.NumTurns == 0 {
		res.NumTurns = g.turns
	}
	if res.DurationMS == 0 {
		res.DurationMS = max(elapsed.Milliseconds(), 0)
	}
	if res.Result == "" {
		res.Result = text
	}
	if res.RouteHistory == nil {
		res.RouteHistory = g.route
	}
	if res.Usage == nil && res.ModelUsage == nil && g.models != nil {
		res.ModelUsage = maps.Clone(g.models)
	}
	if res.Usage == nil && len(res.ModelUsage) > 0 {
		var sum event.Usage
		for _, u := range res.ModelUsage {
			sum = addUsage(sum, u)
		}
		res.Usage = &sum
	}
	if res.TotalCostUSD == nil && g.costs {
		cost := g.cost
		res.TotalCostUSD = &cost
	}
}
