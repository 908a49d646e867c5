// Command agent is a small agent that writes machine-readable output the way
// a program should: it is there to be copied from. Its model is scripted, so
// that it runs offline and does the same each time; its tools are real and
// work on the current directory.
//
//	agent [flags] PROMPT...
//	agent --output-format stream-json --include-partial-messages "how big is this project?"
//
// # Where to look
//
//   - main.go: the process. Nothing but flags, a time limit and emit.Run.
//   - flags.go, prompt.go: what the user wants. Bad flags end before a stream exists.
//   - session.go: the body of the run, from the init line to what it returns.
//   - agent.go: the loop. Ask the model, call its tools, ask again.
//   - model.go: what a model is to the loop. Swap in a provider's here.
//   - tools.go and one file each: files, search, command, subagent.
//   - script.go, parse.go, expand.go, scripted.go: the scripted model.
//
// # Scripts
//
// A script says what the model answers. It is text, one step a line: a verb
// and what belongs to it. Blank lines and lines that begin with # are skipped;
// indentation means nothing.
//
//	turn                         begins a model call, one message
//	think TEXT                   thinking, streamed word by word
//	say TEXT                     text, streamed word by word; say after say is a new line of one text
//	call TOOL {JSON}             calls a tool; all calls of a turn run at once, when the message is complete
//	call NAME = TOOL {JSON}      the same, its result known as NAME
//	wait DURATION                the model keeps silent
//	usage input=N output=N       tokens; also cache_read=N and cache_creation=N
//	warn TEXT                    a warning in prose
//	retry TEXT                   the connection breaks: what this turn has said is void, what follows says it anew
//
//	refuse TEXT                  the model says TEXT and declines; ends the turn
//	cut                          the model is at its token limit; ends the turn
//	fail TEXT                    the model call fails for good; ends the turn
//
//	loop                         after the last turn: begin again with the first
//	agent NAME                   begins the script of a sub-agent, for start_agent
//
// What stands before the first agent line is the script of the top-level
// agent. A turn that calls a tool needs a turn after it, or loop; one that
// calls none is the agent's last.
//
// In TEXT and in the strings of JSON, ${NAME} stands for what the tool call of
// that name in an earlier turn returned, ${NAME.KEY} for one of its values,
// and ${NAME.KEY|OTHERWISE} gives what to say where there is no such value.
// ${prompt} is the prompt, ${task} is what a sub-agent was asked to do, and
// $${ is ${ itself.
//
//	tool          arguments                 values
//	list_files    path, pattern             count, size, largest, extension
//	read_file     path                      lines, bytes, first
//	search_text   text, path, pattern       count, files
//	run_command   argv, seconds             code, lines, word
//	start_agent   agent, task               messages
//
// Every tool has the value summary, one line for people.
//
// Three more verbs are for tests of what happens when a program goes wrong:
// panic TEXT panics, panic-go TEXT panics in a goroutine started by Go, and
// hang never returns, whatever is cancelled. Each ends its turn.
package main
