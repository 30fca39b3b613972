package main

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func pgxState(err error) string {
	var found *pgconn.PgError
	if errors.As(err, &found) {
		return found.Code
	}
	return ""
}

func pgxConnect(ctx context.Context, options string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, url(server.Port, options))
}

// What a feature does with a connection of its own.
func withPgx(options string, use func(context.Context, *pgx.Conn) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		connection, err := pgxConnect(ctx, options)
		if err != nil {
			return nil, err
		}
		defer connection.Close(ctx)
		return use(ctx, connection)
	}
}

func pgxRows(ctx context.Context, connection *pgx.Conn, text string, values ...any) ([][]string, error) {
	rows, err := connection.Query(ctx, text, values...)
	if err != nil {
		return nil, err
	}
	return pgxRead(rows)
}

func pgxRead(rows pgx.Rows) ([][]string, error) {
	defer rows.Close()
	found := [][]string{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
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

func pgxAsk(options, text string) func(context.Context) (any, error) {
	return withPgx(options, func(ctx context.Context, connection *pgx.Conn) (any, error) {
		return pgxRows(ctx, connection, text)
	})
}

var pgxFeatures = []feature{
	{"connect-plain", pgxAsk("sslmode=disable", "select 1")},
	{"tls-if-there", pgxAsk("sslmode=prefer", "select 1")},
	{"tls", func(ctx context.Context) (any, error) {
		return pgxAsk("sslmode=verify-full&sslrootcert="+server.Certificate, "select 1")(ctx)
	}},
	{"wrong-password", func(ctx context.Context) (any, error) {
		config, err := pgx.ParseConfig(url(server.Port, "sslmode=disable"))
		if err != nil {
			return nil, err
		}
		config.Password = "wrong"
		_, err = pgx.ConnectConfig(ctx, config)
		return failure(err, pgxState)
	}},
	{"types-in-binary", pgxAsk("sslmode=disable", everyValue)},
	{"types-in-text", pgxAsk("sslmode=disable&default_query_exec_mode=simple_protocol", everyValue)},
	{"nulls", pgxAsk("sslmode=disable", nulls)},
	{"modes-of-execution", func(ctx context.Context) (any, error) {
		found := []any{}
		for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
			rows, err := withPgx("sslmode=disable&default_query_exec_mode="+mode, func(ctx context.Context, connection *pgx.Conn) (any, error) {
				return pgxRows(ctx, connection, "select symbol from trades where id = $1 and symbol <> $2", int64(7), "none")
			})(ctx)
			if err != nil {
				return nil, err
			}
			found = append(found, rows)
		}
		return found, nil
	}},
	{"parameters", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		found := []any{}
		for _, each := range []struct {
			column string
			value  any
		}{
			{"flag", true}, {"small", int16(1)}, {"whole", int32(2)}, {"large", int64(3)}, {"single", float32(1.5)}, {"precise", 2.25},
			{"amount", "12345.6789"}, {"label", "plain"}, {"data", []byte{0xde, 0xad}}, {"day", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)},
			{"moment", time.Date(2024, 2, 29, 12, 30, 0, 123456000, time.UTC)}, {"instant", time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC)},
		} {
			rows, err := pgxRows(ctx, connection, "select id from every_type where "+each.column+" = $1 order by id", each.value)
			if err != nil {
				return nil, err
			}
			found = append(found, rows)
		}
		rows, err := pgxRows(ctx, connection, "select id from trades where id = any($1) order by id", []int64{3, 1, 2})
		return append(found, rows), err
	})},
	{"prepared", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		if _, err := connection.Prepare(ctx, "by id", "select symbol, price, traded_at from trades where id = $1"); err != nil {
			return nil, err
		}
		found := []any{}
		for n := range 10 {
			rows, err := pgxRows(ctx, connection, "by id", n+1)
			if err != nil {
				return nil, err
			}
			found = append(found, rows)
		}
		return found, connection.Deallocate(ctx, "by id")
	})},
	{"several-statements", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		results, err := connection.PgConn().Exec(ctx, "select 1; select symbol from trades where id = 1").ReadAll()
		found := []string{}
		for _, result := range results {
			found = append(found, result.CommandTag.String(), string(result.Rows[0][0]))
		}
		return found, err
	})},
	{"pipeline", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		batch := &pgx.Batch{}
		for n := range 20 {
			batch.Queue("select symbol from trades where id = $1", n+1)
		}
		results := connection.SendBatch(ctx, batch)
		found := []any{}
		for range 20 {
			rows, err := results.Query()
			if err != nil {
				return nil, err
			}
			read, err := pgxRead(rows)
			if err != nil {
				return nil, err
			}
			found = append(found, read)
		}
		return found, results.Close()
	})},
	{"transactions", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		found := []any{}
		for _, level := range []pgx.TxIsoLevel{pgx.ReadUncommitted, pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
			transaction, err := connection.BeginTx(ctx, pgx.TxOptions{IsoLevel: level, AccessMode: pgx.ReadOnly})
			if err != nil {
				return nil, err
			}
			rows, err := pgxRows(ctx, connection, "show transaction_isolation")
			if err != nil {
				return nil, err
			}
			found = append(found, rows)
			if err := transaction.Commit(ctx); err != nil {
				return nil, err
			}
		}
		return found, nil
	})},
	{"savepoints", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		transaction, err := connection.Begin(ctx)
		if err != nil {
			return nil, err
		}
		inner, err := transaction.Begin(ctx)
		if err != nil {
			return nil, err
		}
		_, failed := inner.Exec(ctx, "select nope from trades")
		if err := inner.Rollback(ctx); err != nil {
			return nil, err
		}
		rows, err := pgxRows(ctx, connection, "select 1")
		return []any{pgxState(failed), rows}, errors.Join(err, transaction.Commit(ctx))
	})},
	{"failed-transaction", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		transaction, err := connection.Begin(ctx)
		if err != nil {
			return nil, err
		}
		_, first := transaction.Exec(ctx, "select nope from trades")
		_, second := transaction.Exec(ctx, "select 1")
		ended := transaction.Commit(ctx)
		return []any{pgxState(first), pgxState(second), errors.Is(ended, pgx.ErrTxCommitRollback)}, nil
	})},
	{"errors", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		found := []any{}
		for _, text := range []string{"select symbo from trades", "select * from nowhere", "selec 1", "select no_function(1)"} {
			_, err := connection.Exec(ctx, text)
			var failed *pgconn.PgError
			if !errors.As(err, &failed) {
				return nil, err
			}
			found = append(found, failed.Code, failed.Severity, failed.Position)
		}
		return found, nil
	})},
	{"writes-are-refused", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		_, err := connection.Exec(ctx, insert)
		return failure(err, pgxState)
	})},
	{"copy-binary", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		into := &written{}
		tag, err := connection.PgConn().CopyTo(ctx, into, "copy ("+everyValue+") to stdout (format binary)")
		return []any{tag.String(), shown(into.bytes)}, err
	})},
	{"cancel", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		ended, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for {
				select {
				case <-ended:
					return
				// One that comes before the server has the statement cancels nothing.
				case <-time.After(500 * time.Millisecond):
					connection.PgConn().CancelRequest(ctx)
				}
			}
		}()
		_, err := connection.Exec(ctx, slow)
		close(ended)
		<-stopped
		state, failed := failure(err, pgxState)
		if failed != nil {
			return nil, failed
		}
		rows, err := pgxRows(ctx, connection, "select 1")
		return []any{state, rows}, err
	})},
	{"statement-timeout", withPgx("sslmode=disable&statement_timeout=300", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		_, err := connection.Exec(ctx, slow)
		return failure(err, pgxState)
	})},
	{"empty-query", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		tag, err := connection.Exec(ctx, "-- nothing")
		return tag.String(), errors.Join(err, connection.Ping(ctx))
	})},
	{"settings", pgxAsk("sslmode=disable&application_name=framehold", "show application_name")},
	{"notices", func(ctx context.Context) (any, error) {
		config, err := pgx.ParseConfig(url(server.Port, "sslmode=disable"))
		if err != nil {
			return nil, err
		}
		found := []string{}
		config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) { found = append(found, notice.Severity, notice.Code) }
		connection, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		defer connection.Close(ctx)
		_, err = connection.Exec(ctx, "commit")
		return found, err
	}},
	{"metadata", withPgx("sslmode=disable", func(ctx context.Context, connection *pgx.Conn) (any, error) {
		statement, err := connection.Prepare(ctx, "", "select * from every_type where id = $1 and label = $2")
		if err != nil {
			return nil, err
		}
		found := []any{statement.ParamOIDs}
		for _, field := range statement.Fields {
			found = append(found, field.Name, field.DataTypeOID, field.TypeModifier)
		}
		kind, err := connection.LoadType(ctx, "_int4")
		if err != nil {
			return nil, err
		}
		return append(found, kind.Name, kind.OID), nil
	})},
	{"reconnect", func(ctx context.Context) (any, error) {
		connection, err := pgx.Connect(ctx, url(server.CutPort, "sslmode=disable&default_query_exec_mode=simple_protocol"))
		if err != nil {
			return nil, err
		}
		_, lost := connection.PgConn().Exec(ctx, "select 1 -- cut here").ReadAll()
		rows, err := pgxAsk("sslmode=disable", "select 1")(ctx)
		return []any{lost != nil, connection.IsClosed(), rows}, err
	}},
}

type written struct{ bytes []byte }

func (into *written) Write(more []byte) (int, error) {
	into.bytes = append(into.bytes, more...)
	return len(more), nil
}
