// Package bench compares this SDK with the JSON encoders and loggers of the
// field, by go test -bench and, side by side in rounds, by the program report.
// Throughput and coldstart are programs to run by themselves.
package bench
