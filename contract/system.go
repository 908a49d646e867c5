package contract

import (
	"bytes"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// runIDWidth is the length of _meta.run_id (contract F5).
const runIDWidth = 26

// system judges a system line.
func (c *Checker) system(v *view, sub string) {
	switch sub {
	case "init":
		c.init(v)
		c.proses(v, mWarnings)
		c.routeReason(v)
	case "agent_switch", "permission_denied":
		c.prose(v, v.top[mReason], "/reason")
	case "route":
		c.routeReason(v)
	case "notification":
		c.prose(v, v.top[mBody], "/body")
		c.prose(v, v.top[mCommandHint], "/command_hint")
	case "warning", "error":
		c.prose(v, v.top[mMessage], "/message")
	case "commands":
		c.commands(v)
	case "task_started", "task_progress", "task_notification":
		c.task(v, sub)
	}
}

// init judges the first line, and takes what it announces.
func (c *Checker) init(v *view) {
	c.version(v)
	if !c.run.initial {
		c.runID(v)
	}
	c.run.initial = true
	announced := false
	if list := v.top[mCapabilities]; v.is(list, beginArray) {
		v.children(list, func(i int) bool {
			if v.is(i, isString) {
				switch string(v.str(i)) {
				case "stream_v1":
					announced = true
				case "partial_messages_v1":
					c.run.partial = true
				}
			}
			return true
		})
	}
	if !announced {
		c.find(v, "capability-missing", v.place(v.top[mCapabilities]), "/capabilities", "no stream_v1", "")
	}
}

// version looks for <product>_version.
func (c *Checker) version(v *view) {
	n, last := 0, 0
	v.children(0, func(i int) bool {
		e := v.items[i]
		if e.member == mOther && e.kind == isString && isVersionName(v.text(e.keyStart, e.keyEnd)) {
			n, last = n+1, i
		}
		return true
	})
	if n != 1 {
		c.find(v, "version-member", v.place(last), "", count(n, "such member"), "")
	}
}

func isVersionName(name []byte) bool {
	product, ok := bytes.CutSuffix(name, []byte("_version"))
	for _, b := range product {
		if !(b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z') {
			return false
		}
	}
	return ok && len(product) > 0
}

// runID judges _meta.run_id.
func (c *Checker) runID(v *view) {
	at, id := v.top[mMeta], []byte(nil)
	if v.is(at, beginObject) {
		if i := v.member(at, mRunID); v.is(i, isString) {
			at, id = i, v.str(i)
		}
	}
	valid := len(id) == runIDWidth
	for _, b := range id {
		valid = valid && ('0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z')
	}
	if !valid {
		c.find(v, "run-id", v.place(at), "/_meta/run_id", "no run id of 26 letters and digits", "")
		return
	}
	h := c.hash(id)
	if _, seen := c.runIDs[h]; seen {
		c.find(v, "run-id", v.place(at), "/_meta/run_id", "the run id of a run before this one", "")
	}
	if len(c.runIDs) >= maxIDs {
		c.skip("run-id", v.number, "there are more than "+count(maxIDs, "run"))
		return
	}
	c.runIDs[h] = struct{}{}
}

// task judges a line about a task.
func (c *Checker) task(v *view, sub string) {
	r := &c.run
	i := v.top[mTaskID]
	if !v.is(i, isString) {
		return
	}
	id := c.hash(v.str(i))
	started, running := r.tasks[id]
	if sub == "task_started" {
		switch {
		case running:
			c.find(v, "task-running", v.place(i), "/task_id", "a task that runs since line "+decimal(started), "")
		case len(r.tasks) >= maxIDs:
			for _, rule := range []string{"task-running", "task-not-running", "task-unclosed"} {
				c.skip(rule, v.number, "more than "+count(maxIDs, "task")+" are running")
			}
			r.lose(v.number)
		default:
			r.tasks[id] = v.number
		}
		return
	}
	if !running && !c.unsure("task-not-running") {
		c.find(v, "task-not-running", v.place(i), "/task_id", excerpt(v.str(i), 0)+", which is not running", "")
	}
	if sub == "task_notification" {
		delete(r.tasks, id)
	}
}

// commands judges what the program says about its commands.
func (c *Checker) commands(v *view) {
	list, n := v.top[mCommands], 0
	if !v.controls || !v.is(list, beginArray) {
		return
	}
	v.children(list, func(i int) bool {
		for _, m := range []member{mHint, mDescription} {
			if v.is(i, beginObject) {
				c.prose(v, v.member(i, m), "/commands/"+strconv.Itoa(n)+"/"+spelling[m])
			}
		}
		n++
		return true
	})
}

// routeReason judges the reason inside of route.
func (c *Checker) routeReason(v *view) {
	if i := v.top[mRoute]; v.is(i, beginObject) {
		c.prose(v, v.member(i, mReason), "/route/reason")
	}
}

// proses judges an array of strings that the program authors.
func (c *Checker) proses(v *view, m member) {
	list, n := v.top[m], 0
	if !v.controls || !v.is(list, beginArray) {
		return
	}
	v.children(list, func(i int) bool {
		c.prose(v, i, "/"+spelling[m]+"/"+strconv.Itoa(n))
		n++
		return true
	})
}

// prose judges a string that the program authors (contract F10).
func (c *Checker) prose(v *view, i int, pointer string) {
	if !v.controls || !v.is(i, isString) {
		return
	}
	text := string(v.str(i))
	if jsonl.StripANSI(text) != text {
		c.find(v, "ansi", v.place(i), pointer, excerpt([]byte(text), 0), "")
	}
}
