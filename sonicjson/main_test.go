package sonicjson_test

import (
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/sonicjson"
)

// asChild makes the test binary one of the programs of process_test.go.
const asChild = "SONICJSON_TEST_CHILD"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asChild); kind != "" {
		child(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// child encodes a value and says what came out, in a process of its own.
func child(kind string) {
	if kind == "many at once" {
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				_, _ = sonicjson.Append(nil, reflect.New(reflect.ArrayOf(i+1, reflect.TypeFor[shape]())).Interface())
				_, _ = sonicjson.Append(nil, shape{Any: make(map[string][]inner, i)})
			})
		}
		wait.Wait()
		fmt.Print("done")
		return
	}
	if kind == "no executable memory" {
		if err := refuseExec(); err != nil {
			fmt.Print("skip: ", err)
			return
		}
	}
	type point struct {
		X, Y int
		Name string
	}
	for i := range 3 {
		out, err := sonicjson.Append([]byte("# "), point{i, 2, "<é>"})
		fmt.Printf("%s %v %v\n", out, err, sonicjson.Active())
	}
}
