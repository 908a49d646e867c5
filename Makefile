# The habits of this repository. Each target needs Go alone, but for those that
# fetch a tool by version with go run.

MODULES     = $(shell git ls-files '*go.mod' | xargs -n1 dirname)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     = mvdan.cc/gofumpt@v0.12.0
# A count, not a duration: at the end of a duration go test can report "context
# deadline exceeded" for a target that is still shrinking an interesting input.
FUZZTIME   ?= 20000x

.PHONY: demo test race lint fuzz golden tidy cover bench bench-check

# The main job: an agent's run leaves the process as a stream.
demo:
	go run ./examples/agent --output-format stream-json --include-partial-messages "how big is this project?"

test:
	go test ./...

race:
	@for m in $(MODULES); do (cd $$m && echo "# $$m" && GOWORK=off go test -race ./...) || exit 1; done

lint:
	@for m in $(MODULES); do (cd $$m && echo "# $$m" && GOWORK=off go vet ./... && GOWORK=off go run $(STATICCHECK) ./...) || exit 1; done
	@unformatted=$$(go run $(GOFUMPT) -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofumpt:"; echo "$$unformatted"; exit 1; fi

# Each fuzz target for a moment; FUZZTIME=5000000x for a night.
fuzz:
	@for p in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "# $$p $$f" && go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$p || exit 1; \
		done; \
	done

# Rewrites what tests compare with. Read the diff before you commit it.
golden:
	go test ./emit -run 'TestGoldenRuns' -update
	go test ./wrap -run 'Golden' -update

tidy:
	@for m in $(MODULES); do (cd $$m && echo "# $$m" && GOWORK=off go mod tidy -diff) || exit 1; done

cover:
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -func=cover.out | tail -n 1

# Everything measured side by side: docs/performance.md, its charts, and the
# recorded ratios. Some minutes, on a quiet machine.
bench:
	cd bench && GOWORK=off go run ./report

# The core against bench/testdata/ratios.json; fails on a loss of over 25 %.
bench-check:
	cd bench && GOWORK=off go run ./report -check
