package cli

// wrapExamples stands below the flags in the help of wrap.
const wrapExamples = `
The exit status is the command's; 128+n if signal n ended it; 124 for a time
limit; 126 or 127 if it could not be started or was not found; 2 for flags that
are wrong, 74 or 141 if stdout could not be written or has no reader any more.
Secrets are replaced in everything but --output-format text.

An agent: what a tool did, as one JSON document, without waiting for ever.

  streamjson wrap --json --timeout 2m -- go test ./...
  streamjson wrap --json --unwrap -- gh pr list --json number,title

A CI job: the agent's stream ends in exactly one result, also when the agent
crashes or hangs, and the stream is kept.

  streamjson wrap --adopt --idle-timeout 10m --log-file run.jsonl -- agent -p "fix the build"
  streamjson wrap --heartbeat 30s --secret-env DEPLOY_KEY -- ./deploy.sh | streamjson check -

A shell: follow a build by its lines, or give any command a limit.

  streamjson wrap -- make -j8 | jq -r 'select(.subtype == "task_progress").task.text'
  streamjson wrap --output-format text --timeout 30s --stdin inherit --pty -- top
`
