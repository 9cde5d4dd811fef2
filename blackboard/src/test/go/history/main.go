// Command history checks recorded calls of a blackboard against a model of it: whether some order
// of the calls, each at one instant between its beginning and its end, explains all answers.
//
//	history [-html FILE] RECORDED
//
// RECORDED has one call a line, as JSON. The exit status is 0 where every scope is linearizable, 1
// where one is not, and 2 where that could not be found out. FILE gets a picture of the calls.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"time"

	"github.com/anishathalye/porcupine"
)

// patience is how long one scope may take.
const patience = 120 * time.Second

// longestLine bounds a call's line.
const longestLine = 1 << 20

// entry is what is under a key: which call wrote it, and its version.
type entry struct {
	By      string `json:"by"`
	Version int64  `json:"version"`
}

// call is a line. Begin and End are nanoseconds of one clock; End is absent where the caller does
// not know whether the call took effect.
type call struct {
	Scope  string `json:"scope"`
	Client int    `json:"client"`
	Name   string `json:"name"`
	Begin  int64  `json:"begin"`
	End    *int64 `json:"end"`

	// Read has what was found under each key that was read; null for nothing.
	Read map[string]*entry `json:"read"`
	// Expect is the version that a write was made to depend on; 0 for no entry.
	Expect map[string]int64 `json:"expect"`
	// Write has the keys that were written, with the version each was given; 0 where that is not known.
	Write map[string]int64 `json:"write"`
	// Delete has the keys that were deleted, with whether there was an entry; null where that is not known.
	Delete map[string]*bool `json:"delete"`
	// Conflict is the version that kept a write from taking effect.
	Conflict *int64 `json:"conflict"`
}

// board is what is under each key at an instant.
type board map[string]entry

// step says whether the call's answer is right where the board is as it is, and what it leaves.
func step(before board, one call) (bool, board) {
	for key, found := range one.Read {
		stands, there := before[key]
		if there != (found != nil) || there && stands != *found {
			return false, before
		}
	}
	for key, expected := range one.Expect {
		if one.Conflict != nil {
			// Refused: with the version that stands, which is another one.
			return before[key].Version == *one.Conflict && *one.Conflict != expected, before
		}
		if before[key].Version != expected {
			// Of a call whose answer is not known: it took no effect.
			return one.End == nil, before
		}
	}
	after := make(board, len(before)+len(one.Write))
	for key, stands := range before {
		after[key] = stands
	}
	for key, given := range one.Write {
		next := before[key].Version + 1
		if given != 0 && given != next {
			return false, before
		}
		after[key] = entry{By: one.Name, Version: next}
	}
	for key, found := range one.Delete {
		_, there := before[key]
		if found != nil && *found != there {
			return false, before
		}
		delete(after, key)
	}
	return true, after
}

var model = porcupine.Model{
	Init: func() interface{} { return board{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		return step(state.(board), input.(call))
	},
	Equal: func(one, other interface{}) bool { return reflect.DeepEqual(one, other) },
	DescribeOperation: func(input, output interface{}) string {
		one := input.(call)
		text, _ := json.Marshal(map[string]interface{}{
			"name": one.Name, "read": one.Read, "write": one.Write, "expect": one.Expect,
			"delete": one.Delete, "conflict": one.Conflict,
		})
		return string(text)
	},
}

func read(path string) (map[string][]porcupine.Operation, int, int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, 0, err
	}
	defer file.Close()
	scopes := map[string][]porcupine.Operation{}
	calls, unknown := 0, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var one call
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, 0, 0, fmt.Errorf("line %d: %w", calls+1, err)
		}
		end := int64(math.MaxInt64)
		if one.End != nil {
			end = *one.End
		} else {
			unknown++
		}
		scopes[one.Scope] = append(scopes[one.Scope], porcupine.Operation{
			ClientId: one.Client, Input: one, Call: one.Begin, Output: nil, Return: end,
		})
		calls++
	}
	return scopes, calls, unknown, lines.Err()
}

func main() {
	html := flag.String("html", "", "where a picture of the first scope that is not linearizable goes")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "history: give one file of recorded calls")
		os.Exit(2)
	}
	scopes, calls, unknown, err := read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(2)
	}
	status := 0
	for scope, operations := range scopes {
		result, info := porcupine.CheckOperationsVerbose(model, operations, patience)
		if result == porcupine.Ok {
			continue
		}
		fmt.Printf("%s: %s\n", scope, result)
		if result == porcupine.Illegal {
			status = 1
			if *html != "" {
				if err := porcupine.VisualizePath(model, info, *html); err != nil {
					fmt.Fprintln(os.Stderr, "history:", err)
				}
			}
		} else if status == 0 {
			status = 2
		}
	}
	fmt.Printf("%d scopes, %d calls, of these %d whose effect their callers do not know\n", len(scopes), calls, unknown)
	os.Exit(status)
}
