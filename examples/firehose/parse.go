package main

import (
	"strconv"
	"strings"
	"time"
)

// A request is one line of an access log: the payload of a system/request line.
type request struct {
	Line   int       `json:"line"` // in all inputs together, from 1
	Host   string    `json:"host"`
	User   string    `json:"user,omitempty"`
	Time   time.Time `json:"time"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"`
	Bytes  int64     `json:"bytes"`
}

// parse reads a line in the Common Log Format, with or without the two fields
// that the combined one has behind it:
//
//	host ident user [02/Jan/2006:15:04:05 -0700] "GET /path HTTP/1.1" 200 1234
func parse(line string) (r request, ok bool) {
	host, rest, ok1 := strings.Cut(line, " ")
	_, rest, ok2 := strings.Cut(rest, " ")
	user, rest, ok3 := strings.Cut(rest, " [")
	stamp, rest, ok4 := strings.Cut(rest, `] "`)
	method, rest, ok5 := strings.Cut(rest, " ")
	path, rest, ok6 := strings.Cut(rest, ` HTTP/`)
	_, rest, ok7 := strings.Cut(rest, `" `)
	status, rest, ok8 := strings.Cut(rest, " ")
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7 && ok8) {
		return r, false
	}
	size, _, _ := strings.Cut(rest, " ")
	if size == "-" { // no body
		size = "0"
	}
	var err1, err2, err3 error
	r = request{Host: host, Method: method, Path: path}
	if user != "-" {
		r.User = user
	}
	r.Time, err1 = time.Parse("02/Jan/2006:15:04:05 -0700", stamp)
	r.Status, err2 = strconv.Atoi(status)
	r.Bytes, err3 = strconv.ParseInt(size, 10, 64)
	return r, err1 == nil && err2 == nil && err3 == nil
}
