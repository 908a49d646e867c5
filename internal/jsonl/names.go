package jsonl

import "strconv"

const (
	fewNames  = 16      // an object with at most so many names is searched from end to end
	keptNames = 1 << 10 // what is kept for reuse: so many entries,
	keptBytes = 64 << 10
)

// names holds the member names of the objects that are open, the innermost
// last. Names are compared as decoded text. Small objects cost no allocation,
// big ones an index, so that a million names take linear time. The zero value
// is ready for use.
type names struct {
	text    []byte // of all names, one after the other
	list    []name
	objects []object
}

type name struct {
	start, end int    // in text
	sig        uint32 // tells most names apart
	suffix     int    // the next number to try for a name made like this one
}

type object struct {
	first int            // of its names in list
	text  int            // where the text of its names begins
	index map[string]int // name to list, once there are many; the keys are views of text
}

// open starts the set of an object inside of the current one.
func (s *names) open() {
	n := len(s.objects)
	if n == cap(s.objects) {
		s.objects = append(s.objects, object{})
	}
	s.objects = s.objects[:n+1]
	o := &s.objects[n] // its index, if any, is empty and can be used again
	o.first, o.text = len(s.list), len(s.text)
}

// close forgets the innermost set.
func (s *names) close() {
	o := s.top()
	s.list, s.text = s.list[:o.first], s.text[:o.text]
	if len(o.index) > keptNames {
		o.index = nil
	}
	clear(o.index)
	s.objects = s.objects[:len(s.objects)-1]
}

// reset forgets everything, and gives back what a big object has needed.
func (s *names) reset() {
	for len(s.objects) > 0 {
		s.close()
	}
	if cap(s.text) > keptBytes {
		s.text = nil
	}
	if cap(s.list) > keptNames {
		s.list = nil
	}
}

func (s *names) top() *object { return &s.objects[len(s.objects)-1] }

// add adds a name to the innermost set. It reports false when it is there.
func (s *names) add(n string) bool {
	if s.find(n) >= 0 {
		return false
	}
	s.insert(n)
	return true
}

// unique adds n, or n#2, n#3 and so on, the first one that is not there yet,
// and returns it.
func (s *names) unique(n string) string {
	at := s.find(n)
	if at < 0 {
		s.insert(n)
		return n
	}
	// The number goes on where the last search for the same name stopped, or
	// many names made alike would take quadratic time.
	for k := max(s.list[at].suffix, 2); ; k++ {
		candidate := n + "#" + strconv.Itoa(k)
		if s.add(candidate) {
			s.list[at].suffix = k + 1
			return candidate
		}
	}
}

// find returns the place of n in list, or -1.
func (s *names) find(n string) int {
	o := s.top()
	if len(s.list)-o.first > fewNames {
		if i, ok := o.index[n]; ok {
			return i
		}
		return -1
	}
	sig := signature(n)
	for i := o.first; i < len(s.list); i++ {
		if s.list[i].sig == sig && s.spelled(i) == n {
			return i
		}
	}
	return -1
}

// insert adds n, which is not there.
func (s *names) insert(n string) {
	start := len(s.text)
	s.text = append(s.text, n...)
	s.list = append(s.list, name{start: start, end: len(s.text), sig: signature(n)})
	o := s.top()
	count := len(s.list) - o.first
	if count <= fewNames {
		return
	}
	if count == fewNames+1 {
		if o.index == nil {
			o.index = make(map[string]int, 4*fewNames)
		}
		for i := o.first; i < len(s.list)-1; i++ {
			o.index[s.spelled(i)] = i
		}
	}
	o.index[s.spelled(len(s.list)-1)] = len(s.list) - 1
}

// spelled is the text of an entry, without a copy. It stays as it is while the
// object is open: text grows, and is cut back to its start when it is closed.
func (s *names) spelled(i int) string { return view(s.text[s.list[i].start:s.list[i].end]) }

// copyTo adds the names of the innermost set, but for the last one, to other.
func (s *names) copyTo(other *names) {
	for i := s.top().first; i < len(s.list)-1; i++ {
		other.insert(s.spelled(i))
	}
}

// signature is the length, the first and the last byte of a name.
func signature(n string) uint32 {
	if n == "" {
		return 0
	}
	return uint32(len(n))<<16 | uint32(n[0])<<8 | uint32(n[len(n)-1])
}
