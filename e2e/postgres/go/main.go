// The features of pgx and of lib/pq: `clients pgx|lib-pq ADDRESS`. A line of JSON for what came of each feature.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

type address struct {
	Host        string   `json:"host"`
	Port        int      `json:"port"`
	CutPort     int      `json:"cutPort"`
	User        string   `json:"user"`
	Password    string   `json:"password"`
	Database    string   `json:"database"`
	Certificate string   `json:"certificate"`
	Skip        []string `json:"skip"`
}

var server address

type feature struct {
	name string
	run  func(context.Context) (any, error)
}

const (
	columns    = "flag, small, whole, large, single, precise, amount, huge, label, data, day, moment, instant, clock, numbers, labels"
	everyValue = "select " + columns + " from every_type where id <> 3 order by id"
	nulls      = "select " + columns + " from every_type where id = 3"
	// Runs for many minutes: a thousand rows to the fourth.
	slow = "select count(*) from trades a, trades b, trades c, trades d" +
		" where a.price + b.price > c.price + d.price and a.id + b.id + c.id + d.id > 3"
	insert = "insert into trades (id) values (0)"
)

func url(port int, options string) string {
	return fmt.Sprintf("postgres://%s:%s@%s:%d/%s?%s", server.User, server.Password, server.Host, port, server.Database, options)
}

// With its type: 5, 5.0 and "5" are three values.
func shown(value any) string {
	switch known := value.(type) {
	case time.Time:
		return "time " + known.Format(time.RFC3339Nano)
	case []byte:
		return fmt.Sprintf("bytes %x", known)
	}
	return fmt.Sprintf("%T %v", value, value)
}

func main() {
	if err := json.Unmarshal([]byte(os.Args[2]), &server); err != nil {
		panic(err)
	}
	features, sqlstate := pgxFeatures, pgxState
	if os.Args[1] == "lib-pq" {
		features, sqlstate = pqFeatures, pqState
	}
	for _, each := range features {
		if slices.Contains(server.Skip, each.name) {
			continue
		}
		line(map[string]any{"begins": each.name})
		value, err := each.run(context.Background())
		if err != nil {
			line(map[string]any{"feature": each.name, "ok": false, "error": err.Error(), "sqlstate": sqlstate(err)})
			continue
		}
		line(map[string]any{"feature": each.name, "ok": true, "value": value})
	}
}

func line(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

// The SQLSTATE of what must fail.
func failure(err error, sqlstate func(error) string) (any, error) {
	if err == nil {
		return nil, errors.New("no error")
	}
	return sqlstate(err), nil
}
