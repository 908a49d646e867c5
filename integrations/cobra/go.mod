module github.com/streamjson/streamjson/integrations/cobra

go 1.25.0

replace github.com/streamjson/streamjson => ../..

require (
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/streamjson/streamjson v0.0.0-00010101000000-000000000000
	go.uber.org/goleak v1.3.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
)
