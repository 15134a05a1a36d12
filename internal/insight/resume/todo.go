package resume

import (
	"encoding/json"
	"strings"
)

// todo is the list of steps that the model keeps for itself.
type todo struct{ items []todoItem }

type todoItem struct {
	id, text string
	state    string // pending, in_progress, completed
}

// The bounds of the list, and of the bytes of one item.
const (
	maxTodo = 100
	maxItem = 2 << 10
)

// todoInput is the input of the tools that keep such a list, of all programs.
type todoInput struct {
	Todos []struct {
		Content     string `json:"content"`
		Description string `json:"description"`
		Status      string `json:"status"`
	} `json:"todos"`
	Plan    json.RawMessage `json:"plan"`
	Subject string          `json:"subject"`
	ID      string          `json:"taskId"`
	Status  string          `json:"status"`
}

type planStep struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

// keepsList tells whether a tool does nothing but keep such a list.
func keepsList(tool string) bool {
	switch tool {
	case "TodoWrite", "todowrite", "write_todos", "todo_write", "update_plan", "TaskCreate", "TaskUpdate":
		return true
	default:
		return false
	}
}

// called takes a call; true when it is one of the list's.
func (t *todo) called(tool, input string) bool {
	if !keepsList(tool) {
		return false
	}
	var in todoInput
	if json.Unmarshal([]byte(input), &in) != nil {
		return true
	}
	switch tool {
	case "TaskCreate":
		t.add(todoItem{text: in.Subject, state: "pending"})
	case "TaskUpdate":
		t.update(in)
	case "update_plan":
		var steps []planStep
		_ = json.Unmarshal(in.Plan, &steps) // of another form: no steps
		t.items = nil
		for _, s := range steps {
			t.add(todoItem{text: s.Step, state: s.Status})
		}
	default:
		t.items = nil
		for _, x := range in.Todos {
			t.add(todoItem{text: x.Content + x.Description, state: x.Status})
		}
	}
	return true
}

func (t *todo) add(x todoItem) {
	if x.text != "" && len(t.items) < maxTodo {
		x.text = cut(x.text, maxItem)
		t.items = append(t.items, x)
	}
}

func (t *todo) update(in todoInput) {
	for i := range t.items {
		if t.items[i].id == in.ID && in.ID != "" {
			if in.Subject != "" {
				t.items[i].text = cut(in.Subject, maxItem)
			}
			if in.Status != "" {
				t.items[i].state = in.Status
			}
		}
	}
}

// answered learns the number that a new item was given: "Task #3 created".
func (t *todo) answered(c *call, result string) {
	if c.tool != "TaskCreate" {
		return
	}
	_, rest, ok := strings.Cut(result, "#")
	if !ok {
		return
	}
	id := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	for i := range t.items {
		if t.items[i].id == "" {
			t.items[i].id = id
			return
		}
	}
}

// in gives the texts of the items in one of the states.
func (t *todo) in(states ...string) []string {
	var list []string
	for _, x := range t.items {
		for _, s := range states {
			if x.state == s {
				list = append(list, x.text)
			}
		}
	}
	return list
}

// text is everything that is not done yet.
func (t *todo) text() string { return strings.Join(t.in("in_progress", "pending"), "\n") }
