package survey

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseSurvex reads "from to tape compass clino" lines of a .svx file.
// Lines with a star are commands, of those only "*flags" is understood.
func ParseSurvex(in io.Reader) ([]Reading, error) {
	var out []Reading
	var splay, surface bool
	sc := bufio.NewScanner(in)
	for n := 1; sc.Scan(); n++ {
		line, _, _ := strings.Cut(sc.Text(), ";")
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
			continue
		case f[0] == "*flags":
			splay = strings.Contains(line, "splay") && !strings.Contains(line, "not splay")
			surface = strings.Contains(line, "surface") && !strings.Contains(line, "not surface")
			continue
		case strings.HasPrefix(f[0], "*"):
			continue
		case len(f) < 5:
			return nil, fmt.Errorf("line %d: too short", n)
		}
		r := Reading{From: f[0], To: f[1], Splay: splay, Surface: surface, Source: "survex"}
		for i, target := range []*float64{&r.Tape, &r.Compass, &r.Clino} {
			v, err := strconv.ParseFloat(f[2+i], 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is no number", n, f[2+i])
			}
			*target = v
		}
		out = append(out, r)
	}
	return out, sc.Err()
}
