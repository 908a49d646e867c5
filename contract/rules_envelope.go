package contract

// envelopeRules are about the output of a command with --json. Framing and
// text of the document are judged by the rules that lines are judged by.
func envelopeRules() []Rule {
	return []Rule{
		envelopeRule(Rule{
			ID: "envelope-missing", Severity: SeverityError, Reader: SeverityError, Ref: "E7",
			Summary: "With --json every path of a command ends in an envelope.",
			Why:     "An empty stdout is no JSON, so the caller's parser fails in place of the command.",
		}, goodEnvelope, ""),
		envelopeRule(Rule{
			ID: "envelope-members", Severity: SeverityError, Reader: SeverityError, Ref: "E2, E3, E4, E8",
			Summary: "schema_version is an integer, ok a boolean, data is there, errors and warnings are arrays of strings.",
			Why:     "That is what makes a document an envelope; without one of them it is somebody else's JSON.",
		}, goodEnvelope, `{"schema_version":1,"ok":true,"data":{"widgets":3},"warnings":[]}`+"\n"),
		envelopeRule(Rule{
			ID: "envelope-order", Severity: SeverityError, Reader: SeverityOff, Ref: "section 5",
			Summary: "The members stand in the order schema_version, ok, data, errors, warnings.",
			Why:     "Whether a command succeeded can be read without parsing its data.",
		}, goodEnvelope, `{"ok":true,"schema_version":1,"data":{"widgets":3},"errors":[],"warnings":[]}`+"\n"),
		envelopeRule(Rule{
			ID: "envelope-unknown", Severity: SeverityError, Reader: SeverityWarning, Ref: "section 5, E8",
			Summary: "An envelope has these five members and no others; what a command has to say goes into data.",
			Why:     "A key beside them may get a meaning in a later version.",
		}, goodEnvelope, `{"schema_version":1,"ok":true,"data":{"widgets":3},"errors":[],"warnings":[],"hint":"try again"}`+"\n"),
		envelopeRule(Rule{
			ID: "envelope-version", Severity: SeverityError, Reader: SeverityError, Ref: "E2, E8",
			Summary: "schema_version is 1.",
			Why:     "Another number is an envelope of another version: its members may mean something else.",
		}, goodEnvelope, `{"schema_version":2,"ok":true,"data":{"widgets":3},"errors":[],"warnings":[]}`+"\n"),
		envelopeRule(Rule{
			ID: "envelope-errors", Severity: SeverityError, Reader: SeverityError, Ref: "E4",
			Summary: "ok true has no errors; ok false has at least one, and none is empty.",
			Why:     "A failure that does not say why, and a success with errors, leave the caller to guess.",
		}, badEnvelope, `{"schema_version":1,"ok":false,"data":null,"errors":[],"warnings":[]}`+"\n"),
		{
			ID: "envelope-exit", Severity: SeverityError, Reader: SeverityError, Ref: "E1",
			Summary: "ok is true exactly when the exit status is zero.",
			Why:     "Callers branch on either signal: a shell on the status, a program on ok.",
			Good:    Example{Stdout: badEnvelope, Exit: status(1), Envelope: true},
			Bad:     Example{Stdout: badEnvelope, Exit: status(0), Envelope: true},
		},
	}
}

func envelopeRule(r Rule, good, bad string) Rule {
	r.Good = Example{Stdout: good, Envelope: true}
	r.Bad = Example{Stdout: bad, Envelope: true}
	return r
}
