// Package contract is the wire contract as a program: it holds what a producer
// wrote to the rules that the contract states in prose, whatever language the
// producer is written in.
//
//   - [Check] and [Checker] judge whole runs of a stream-json stream: framing,
//     order, identity, deltas, what was opened and closed, the result and the
//     exit status. They read bytes once and keep a bounded state.
//   - [CheckEnvelope] judges the output of a command that was called with
//     --json (contract section 5).
//   - [Compare] judges a change of a schema: inside stream_v1 only additions
//     are allowed (contract section 4).
//   - [Rules] is the table of everything that can be found, with the reason,
//     and an example of each.
//
// Two verdicts make a judgement: the rules in this package, which see a run as
// a whole, and the JSON Schemas in package contract/schema, which see the shape
// of one line. They are joined by [CheckOptions.Schema], so that who needs only
// the rules does not link a schema library. Where both can see a fault, they
// agree.
//
// The package reads bytes and knows nothing of the emitter.
package contract
