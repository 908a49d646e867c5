// Package emittest helps programs that write streams with package emit to test
// what they write.
//
// Record gives a test an emitter whose lines can be looked at. Run does a
// program's run in every format and holds it to the contract. FaultyWriter
// fails as stdout does in the field. Normalize makes a stream the same in every
// run, for comparison with a recorded one.
package emittest
