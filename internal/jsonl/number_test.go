package jsonl_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/streamjson/streamjson/internal/jsonl"
)

func checkFloat(t *testing.T, f float64) {
	t.Helper()
	for _, bits := range []int{64, 32} {
		var x any = f
		if bits == 32 {
			x, f = float32(f), float64(float32(f))
		}
		got, err := jsonl.AppendFloat([]byte("#"), f, bits)
		want, jsonErr := json.Marshal(x)
		if jsonErr != nil {
			if !errors.Is(err, jsonl.ErrNotFinite) || string(got) != "#" {
				t.Errorf("AppendFloat(%v, %d) = %q, %v; want ErrNotFinite", f, bits, got, err)
			}
			continue
		}
		if err != nil || string(got) != "#"+string(want) {
			t.Errorf("AppendFloat(%v, %d) = %q, %v; encoding/json writes %s", f, bits, got, err, want)
		}
	}
}

func TestAppendFloatIsThatOfEncodingJSON(t *testing.T) {
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 1.0 / 3, 100, 1e6, 123456789, 1e20, 999999999999999868928, 1e21, 1e22, -1e21,
		1e-5, 1e-6, 9.999999e-7, 1e-7, 1e-9, 1e-10, 1e-100, -1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 53, 1<<53 + 2, math.Pi, math.NaN(), math.Inf(1), math.Inf(-1),
		math.Nextafter(1e21, 0), math.Nextafter(1e-6, 0), float64(math.Nextafter32(1e21, 0)), float64(math.Nextafter32(1e-6, 0)),
	} {
		checkFloat(t, f)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 50_000 {
		checkFloat(t, math.Float64frombits(r.Uint64()))
		checkFloat(t, float64(math.Float32frombits(r.Uint32())))
		checkFloat(t, math.Pow(10, float64(r.IntN(60)-30))*r.Float64())
	}
}

func FuzzAppendFloat(f *testing.F) {
	f.Add(1e-6)
	f.Add(1e21)
	f.Add(0.1)
	f.Fuzz(func(t *testing.T, x float64) { checkFloat(t, x) })
}
