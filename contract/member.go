package contract

import "sync"

// A member is a member name that a rule looks at.
type member uint8

const (
	mOther member = iota
	mType
	mSubtype
	mSessionID
	mSeq
	mTS
	mParent
	mExtension
	mMeta
	mBody
	mCacheCreation
	mCacheRead
	mCapabilities
	mCommandHint
	mCommands
	mContent
	mData
	mDelta
	mDescription
	mErrors
	mEvent
	mHint
	mID
	mIndex
	mInput
	mInputTokens
	mIsError
	mMessage
	mModelUsage
	mOK
	mOutputTokens
	mPartialJSON
	mReason
	mResult
	mRoute
	mRunID
	mSchemaVersion
	mStopReason
	mSummary
	mTaskID
	mText
	mThinking
	mToolUseID
	mToolUseResult
	mTruncatedBytes
	mUsage
	mWarnings
	memberCount
)

// spelling has the name of each member.
var spelling = [memberCount]string{
	mType: "type", mSubtype: "subtype", mSessionID: "session_id", mSeq: "seq", mTS: "ts",
	mParent: "parent_tool_use_id", mExtension: "extension", mMeta: "_meta",
	mBody: "body", mCacheCreation: "cache_creation", mCacheRead: "cache_read",
	mCapabilities: "capabilities", mCommandHint: "command_hint",
	mCommands: "commands", mDescription: "description", mHint: "hint", mContent: "content",
	mData: "data", mDelta: "delta", mErrors: "errors", mEvent: "event", mID: "id",
	mIndex: "index", mInput: "input", mInputTokens: "input_tokens", mIsError: "is_error",
	mMessage: "message", mModelUsage: "model_usage", mOK: "ok", mOutputTokens: "output_tokens",
	mPartialJSON: "partial_json", mReason: "reason", mResult: "result", mRoute: "route",
	mRunID: "run_id", mSchemaVersion: "schema_version", mStopReason: "stop_reason",
	mSummary: "summary", mTaskID: "task_id", mText: "text", mThinking: "thinking",
	mToolUseID: "tool_use_id", mToolUseResult: "tool_use_result",
	mTruncatedBytes: "truncated_bytes", mUsage: "usage", mWarnings: "warnings",
}

// memberNames is the way back from a name.
var memberNames = sync.OnceValue(func() map[string]member {
	names := make(map[string]member, memberCount)
	for m := mType; m < memberCount; m++ {
		names[spelling[m]] = m
	}
	return names
})

// A shape is what the checker expects of a container, and so which of its
// values it keeps.
type shape uint8

const (
	opaque   shape = iota // any JSON value: nothing is kept
	shapeTop              // a line, or an envelope
	shapeMessage
	shapeContent // an array of blocks
	shapeBlock
	shapeEvent
	shapeDelta
	shapeUsage
	shapeModels // usage by any name
	shapeList   // an array of scalars
	shapeRoute
	shapeSummary
	shapeMeta
	shapeCommands // an array of commands
	shapeCommand
)

// inside returns the shape of the container that stands under a member, or as
// an element, of a container.
func inside(s shape, m member) shape {
	switch s {
	case shapeTop:
		return underTop(m)
	case shapeMessage:
		if m == mContent {
			return shapeContent
		}
	case shapeContent:
		return shapeBlock
	case shapeEvent:
		if m == mDelta {
			return shapeDelta
		}
	case shapeModels:
		return shapeUsage
	case shapeCommands:
		return shapeCommand
	}
	return opaque
}

func underTop(m member) shape {
	switch m {
	case mMessage:
		return shapeMessage
	case mEvent:
		return shapeEvent
	case mUsage:
		return shapeUsage
	case mModelUsage:
		return shapeModels
	case mCapabilities, mErrors, mWarnings:
		return shapeList
	case mRoute:
		return shapeRoute
	case mToolUseResult:
		return shapeSummary
	case mMeta:
		return shapeMeta
	case mCommands:
		return shapeCommands
	}
	return opaque
}

// isArray reports whether containers of the shape are arrays.
func (s shape) isArray() bool { return s == shapeContent || s == shapeList || s == shapeCommands }
