package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/lib/pq"
)

func pqState(err error) string {
	var found *pq.Error
	if errors.As(err, &found) {
		return string(found.Code)
	}
	return ""
}

func withPq(options string, use func(context.Context, *sql.DB) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		database, err := sql.Open("postgres", url(server.Port, options))
		if err != nil {
			return nil, err
		}
		defer database.Close()
		return use(ctx, database)
	}
}

type asker interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

func pqRows(ctx context.Context, database asker, text string, values ...any) ([][]string, error) {
	rows, err := database.QueryContext(ctx, text, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return pqRead(rows)
}

func pqRead(rows *sql.Rows) ([][]string, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	found := [][]string{}
	for rows.Next() {
		values, places := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		row := []string{}
		for _, value := range values {
			row = append(row, shown(value))
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

func pqAsk(options, text string) func(context.Context) (any, error) {
	return withPq(options, func(ctx context.Context, database *sql.DB) (any, error) { return pqRows(ctx, database, text) })
}

var pqFeatures = []feature{
	{"connect-plain", pqAsk("sslmode=disable", "select 1")},
	{"tls", func(ctx context.Context) (any, error) {
		return pqAsk("sslmode=verify-full&sslrootcert="+server.Certificate, "select 1")(ctx)
	}},
	{"wrong-password", func(ctx context.Context) (any, error) {
		right := server.Password
		server.Password = "wrong"
		_, err := pqAsk("sslmode=disable", "select 1")(ctx)
		server.Password = right
		return failure(err, pqState)
	}},
	{"types-in-text", pqAsk("sslmode=disable", everyValue)},
	{"types-in-binary", pqAsk("sslmode=disable&binary_parameters=yes", everyValue)},
	{"nulls", pqAsk("sslmode=disable", nulls)},
	{"parameters", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		rows, err := pqRows(ctx, database, "select id from trades where symbol = $1 and price > $2 and id < $3 order by id", "ACME", 150.5, 60)
		if err != nil {
			return nil, err
		}
		listed, err := pqRows(ctx, database, "select id from trades where id = any($1) order by id", pq.Array([]int64{3, 1, 2}))
		if err != nil {
			return nil, err
		}
		moments, err := pqRows(ctx, database, "select id from every_type where instant = $1 and data = $2",
			time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC), []byte{0xde, 0xad})
		return []any{rows, listed, moments}, err
	})},
	{"prepared", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		statement, err := database.PrepareContext(ctx, "select symbol from trades where id = $1")
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		found := []string{}
		for n := range 10 {
			var symbol string
			if err := statement.QueryRowContext(ctx, n+1).Scan(&symbol); err != nil {
				return nil, err
			}
			found = append(found, symbol)
		}
		return found, nil
	})},
	{"several-statements", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		rows, err := database.QueryContext(ctx, "select 1; select symbol from trades where id = 1")
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		first, err := pqRead(rows)
		if err != nil {
			return nil, err
		}
		more := rows.NextResultSet()
		second, err := pqRead(rows)
		return []any{first, more, second}, err
	})},
	{"transactions", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		found := []any{}
		for _, level := range []sql.IsolationLevel{sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
			transaction, err := database.BeginTx(ctx, &sql.TxOptions{Isolation: level, ReadOnly: true})
			if err != nil {
				return nil, err
			}
			rows, err := pqRows(ctx, transaction, "show transaction_isolation")
			if err != nil {
				return nil, err
			}
			found = append(found, rows)
			if err := transaction.Commit(); err != nil {
				return nil, err
			}
		}
		return found, nil
	})},
	{"failed-transaction", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		transaction, err := database.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		_, first := transaction.ExecContext(ctx, "select nope from trades")
		_, second := transaction.ExecContext(ctx, "select 1")
		return []any{pqState(first), pqState(second)}, transaction.Rollback()
	})},
	{"errors", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		found := []string{}
		for _, text := range []string{"select symbo from trades", "select * from nowhere", "selec 1"} {
			_, err := database.ExecContext(ctx, text)
			var failed *pq.Error
			if !errors.As(err, &failed) {
				return nil, err
			}
			found = append(found, string(failed.Code), failed.Severity, failed.Position)
		}
		return found, nil
	})},
	{"writes-are-refused", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		_, err := database.ExecContext(ctx, insert)
		return failure(err, pqState)
	})},
	{"cancel", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		short, stop := context.WithTimeout(ctx, 500*time.Millisecond)
		defer stop()
		begun := time.Now()
		_, err := database.ExecContext(short, slow)
		rows, again := pqRows(ctx, database, "select 1")
		return []any{err != nil, time.Since(begun) < 30*time.Second, rows}, again
	})},
	{"statement-timeout", withPq("sslmode=disable&statement_timeout=300", func(ctx context.Context, database *sql.DB) (any, error) {
		_, err := database.ExecContext(ctx, slow)
		return failure(err, pqState)
	})},
	{"empty-query", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		_, err := database.ExecContext(ctx, ";")
		return "", errors.Join(err, database.PingContext(ctx))
	})},
	{"settings", pqAsk("sslmode=disable&application_name=framehold", "show application_name")},
	{"notices", func(ctx context.Context) (any, error) {
		found := []string{}
		connector, err := pq.NewConnector(url(server.Port, "sslmode=disable"))
		if err != nil {
			return nil, err
		}
		database := sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, func(notice *pq.Error) {
			found = append(found, notice.Severity, string(notice.Code))
		}))
		defer database.Close()
		_, err = database.ExecContext(ctx, "commit")
		return found, err
	}},
	{"metadata", withPq("sslmode=disable", func(ctx context.Context, database *sql.DB) (any, error) {
		rows, err := database.QueryContext(ctx, everyValue)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		types, err := rows.ColumnTypes()
		found := []any{}
		for _, kind := range types {
			precision, scale, ok := kind.DecimalSize()
			found = append(found, kind.Name(), kind.DatabaseTypeName(), precision, scale, ok)
		}
		return found, err
	})},
	{"reconnect", func(ctx context.Context) (any, error) {
		database, err := sql.Open("postgres", url(server.CutPort, "sslmode=disable"))
		if err != nil {
			return nil, err
		}
		defer database.Close()
		_, lost := database.ExecContext(ctx, "select 1 -- cut here")
		rows, err := pqRows(ctx, database, "select 1")
		return []any{lost != nil, rows}, err
	}},
}
