//! The features of tokio-postgres: `clients ADDRESS`. A line of JSON for what came of each feature.
use std::error::Error as AnyError;
use std::future::Future;
use std::time::{Duration, UNIX_EPOCH};

use futures_util::TryStreamExt;
use serde_json::{json, Value};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Error, IsolationLevel, NoTls, Row, SimpleQueryMessage};

type Found = Result<Value, Box<dyn AnyError>>;

const SLOW: &str = "select count(*) from trades a, trades b, trades c, trades d \
    where a.price + b.price > c.price + d.price and a.id + b.id + c.id + d.id > 3";

struct Server {
    address: Value,
}

impl Server {
    fn text(&self, name: &str) -> &str {
        self.address[name].as_str().unwrap_or("")
    }

    async fn connect_as(&self, password: &str, port: &str, options: &str) -> Result<Client, Error> {
        let mut config = Config::new();
        config
            .host(self.text("host"))
            .port(self.address[port].as_u64().unwrap_or(0) as u16)
            .user(self.text("user"))
            .password(password)
            .dbname(self.text("database"))
            .options(options);
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    async fn connect(&self) -> Result<Client, Error> {
        self.connect_as(self.text("password"), "port", "").await
    }
}

fn state(error: &Error) -> Value {
    json!(error.code().map(|code| code.code()))
}

/// The SQLSTATE of what must fail.
fn failure<T>(result: Result<T, Error>) -> Found {
    match result {
        Ok(_) => Err("no error".into()),
        Err(error) => Ok(state(&error)),
    }
}

/// With its type: 5, 5.0 and "5" are three values.
fn shown(row: &Row) -> Vec<String> {
    row.columns().iter().enumerate().map(|(index, column)| cell(row, index, column.type_())).collect()
}

fn cell(row: &Row, index: usize, kind: &Type) -> String {
    match *kind {
        Type::BOOL => format!("bool {:?}", row.get::<_, Option<bool>>(index)),
        Type::INT2 => format!("i16 {:?}", row.get::<_, Option<i16>>(index)),
        Type::INT4 => format!("i32 {:?}", row.get::<_, Option<i32>>(index)),
        Type::INT8 => format!("i64 {:?}", row.get::<_, Option<i64>>(index)),
        Type::FLOAT4 => format!("f32 {:?}", row.get::<_, Option<f32>>(index)),
        Type::FLOAT8 => format!("f64 {:?}", row.get::<_, Option<f64>>(index)),
        Type::TEXT => format!("text {:?}", row.get::<_, Option<String>>(index)),
        Type::BYTEA => format!("bytea {:?}", row.get::<_, Option<Vec<u8>>>(index)),
        Type::TIMESTAMP => format!("timestamp {:?}", row.get::<_, Option<std::time::SystemTime>>(index)),
        Type::INT4_ARRAY => format!("i32[] {:?}", row.get::<_, Option<Vec<Option<i32>>>>(index)),
        Type::TEXT_ARRAY => format!("text[] {:?}", row.get::<_, Option<Vec<Option<String>>>>(index)),
        _ => format!("other {kind}"),
    }
}

async fn rows(client: &Client, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Value, Error> {
    Ok(json!(client.query(text, values).await?.iter().map(shown).collect::<Vec<_>>()))
}

const COLUMNS: &str = "flag, small, whole, large, single, precise, label, data, moment, numbers, labels";

async fn types_in_binary(server: &Server) -> Found {
    let client = server.connect().await?;
    Ok(rows(&client, &format!("select {COLUMNS} from every_type where id in (1, 4) order by id"), &[]).await?)
}

async fn nulls(server: &Server) -> Found {
    let client = server.connect().await?;
    Ok(rows(&client, &format!("select {COLUMNS} from every_type where id = 3"), &[]).await?)
}

async fn parameters(server: &Server) -> Found {
    let client = server.connect().await?;
    let day = UNIX_EPOCH + Duration::from_secs(1_704_067_260);
    Ok(json!([
        rows(&client, "select id from every_type where label = $1 and flag = $2", &[&"plain", &true]).await?,
        rows(&client, "select id from trades where price > $1 and size < $2 order by id", &[&220.5f64, &20i32]).await?,
        rows(&client, "select id from trades where traded_at = $1", &[&day]).await?,
        rows(&client, "select id from trades where id = any($1) order by id", &[&vec![3i64, 1, 2]]).await?,
        rows(&client, "select id from every_type where data = $1", &[&vec![0xdeu8, 0xad]]).await?,
        rows(&client, "select $1::text, $2::int4", &[&None::<String>, &5i32]).await?,
    ]))
}

async fn parameter_types(server: &Server) -> Found {
    let client = server.connect().await?;
    let text = "select id, symbol from trades where symbol = $1 and price > $2 and id = any($3)";
    let statement = client.prepare(text).await?;
    let columns: Vec<_> = statement.columns().iter().map(|column| format!("{} {}", column.name(), column.type_())).collect();
    Ok(json!([statement.params().iter().map(Type::to_string).collect::<Vec<_>>(), columns]))
}

async fn prepared(server: &Server) -> Found {
    let client = server.connect().await?;
    let statement = client.prepare_typed("select symbol from trades where id = $1", &[Type::INT8]).await?;
    let mut found = Vec::new();
    for id in 1..=10i64 {
        found.push(client.query_one(&statement, &[&id]).await?.get::<_, String>(0));
    }
    Ok(json!(found))
}

/// Sent before the answers to those before have come.
async fn pipeline(server: &Server) -> Found {
    let client = server.connect().await?;
    let statement = client.prepare("select symbol from trades where id = $1").await?;
    let (one, two, three) = (1i64, 2i64, 3i64);
    let values: [[&(dyn ToSql + Sync); 1]; 3] = [[&one], [&two], [&three]];
    let (first, second, third) = tokio::join!(
        client.query_one(&statement, &values[0]),
        client.query_one(&statement, &values[1]),
        client.query_one(&statement, &values[2]),
    );
    Ok(json!([shown(&first?), shown(&second?), shown(&third?)]))
}

async fn portions(server: &Server) -> Found {
    let mut client = server.connect().await?;
    let transaction = client.transaction().await?;
    let portal = transaction.bind("select id from trades order by id", &[]).await?;
    let mut sizes = Vec::new();
    loop {
        let part = transaction.query_portal(&portal, 300).await?;
        if part.is_empty() {
            break;
        }
        sizes.push(part.len());
    }
    transaction.commit().await?;
    Ok(json!(sizes))
}

async fn rows_as_they_come(server: &Server) -> Found {
    let client = server.connect().await?;
    let values: [&(dyn ToSql + Sync); 0] = [];
    let stream = client.query_raw("select id from trades order by id", values).await?;
    let sum = stream.try_fold(0i64, |sum, row| async move { Ok(sum + row.get::<_, i64>(0)) }).await?;
    Ok(json!(sum))
}

async fn several_statements(server: &Server) -> Found {
    let client = server.connect().await?;
    let answers = client.simple_query("select 1 as a; select symbol from trades where id < 3 order by id").await?;
    let told = answers.iter().map(|message| match message {
        SimpleQueryMessage::Row(row) => format!("row {:?}", row.get(0)),
        SimpleQueryMessage::CommandComplete(count) => format!("complete {count}"),
        _ => "columns".to_string(),
    });
    Ok(json!(told.collect::<Vec<_>>()))
}

async fn copied(server: &Server, options: &str) -> Found {
    let client = server.connect().await?;
    let text = format!("copy (select {COLUMNS} from every_type where id <> 3 order by id) to stdout {options}");
    let stream = client.copy_out(&text).await?;
    let bytes = stream.try_fold(Vec::new(), |mut all, part| async move {
        all.extend_from_slice(&part);
        Ok(all)
    });
    Ok(json!(bytes.await?.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

async fn transactions(server: &Server) -> Found {
    let mut client = server.connect().await?;
    let mut found = Vec::new();
    for level in [IsolationLevel::ReadCommitted, IsolationLevel::RepeatableRead, IsolationLevel::Serializable] {
        let transaction = client.build_transaction().isolation_level(level).read_only(true).start().await?;
        found.push(transaction.query_one("show transaction_isolation", &[]).await?.get::<_, String>(0));
        transaction.rollback().await?;
    }
    Ok(json!(found))
}

async fn savepoints(server: &Server) -> Found {
    let mut client = server.connect().await?;
    let mut transaction = client.transaction().await?;
    let inner = transaction.savepoint("one").await?;
    let first = failure(inner.query("select nope from trades", &[]).await)?;
    inner.rollback().await?;
    let after = transaction.query_one("select 1", &[]).await?;
    let shown = shown(&after);
    transaction.commit().await?;
    Ok(json!([first, shown]))
}

async fn errors(server: &Server) -> Found {
    let client = server.connect().await?;
    let mut found = Vec::new();
    for text in ["select symbo from trades", "select * from nowhere", "selec 1", "select no_function(1)"] {
        match client.query(text, &[]).await {
            Ok(_) => return Err(text.into()),
            Err(error) => {
                let told = error.as_db_error().ok_or("not of the server")?;
                found.push(json!([told.code().code(), told.severity(), format!("{:?}", told.position())]));
            }
        }
    }
    Ok(json!(found))
}

async fn writes_are_refused(server: &Server) -> Found {
    let client = server.connect().await?;
    Ok(json!([
        failure(client.execute("insert into trades (id) values (0)", &[]).await)?,
        failure(client.batch_execute("drop table trades").await)?,
    ]))
}

async fn cancel(server: &Server) -> Found {
    let client = server.connect().await?;
    let token = client.cancel_token();
    let query = client.query(SLOW, &[]);
    tokio::pin!(query);
    let answer = loop {
        tokio::select! {
            answer = &mut query => break answer,
            // One that comes before the server has the statement cancels nothing.
            _ = tokio::time::sleep(Duration::from_millis(500)) => token.cancel_query(NoTls).await?,
        }
    };
    Ok(json!([failure(answer)?, rows(&client, "select 1", &[]).await?]))
}

async fn statement_timeout(server: &Server) -> Found {
    let client = server.connect_as(server.text("password"), "port", "-c statement_timeout=300").await?;
    failure(client.query(SLOW, &[]).await)
}

async fn reconnect(server: &Server) -> Found {
    let client = server.connect_as(server.text("password"), "cutPort", "").await?;
    let lost = client.query("select 1 -- cut here", &[]).await.is_err() && client.is_closed();
    let next = server.connect().await?;
    Ok(json!([lost, rows(&next, "select 1", &[]).await?]))
}

async fn feature(server: &Server, name: &str, run: impl Future<Output = Found>) {
    if server.address["skip"].as_array().is_some_and(|skip| skip.contains(&json!(name))) {
        return;
    }
    println!("{}", json!({ "begins": name }));
    let line = match run.await {
        Ok(value) => json!({ "feature": name, "ok": true, "value": value }),
        Err(error) => {
            let code = error.downcast_ref::<Error>().map_or(Value::Null, state);
            json!({ "feature": name, "ok": false, "error": format!("{error:?}"), "sqlstate": code })
        }
    };
    println!("{line}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn AnyError>> {
    let text = std::env::args().nth(1).ok_or("no address")?;
    let server = &Server { address: serde_json::from_str(&text)? };
    feature(server, "wrong-password", async { failure(server.connect_as("wrong", "port", "").await) }).await;
    feature(server, "types-in-binary", types_in_binary(server)).await;
    feature(server, "nulls", nulls(server)).await;
    feature(server, "parameters", parameters(server)).await;
    feature(server, "parameter-types", parameter_types(server)).await;
    feature(server, "prepared", prepared(server)).await;
    feature(server, "pipeline", pipeline(server)).await;
    feature(server, "portions", portions(server)).await;
    feature(server, "rows-as-they-come", rows_as_they_come(server)).await;
    feature(server, "several-statements", several_statements(server)).await;
    feature(server, "copy-text", copied(server, "")).await;
    feature(server, "copy-binary", copied(server, "(format binary)")).await;
    feature(server, "transactions", transactions(server)).await;
    feature(server, "savepoints", savepoints(server)).await;
    feature(server, "errors", errors(server)).await;
    feature(server, "writes-are-refused", writes_are_refused(server)).await;
    feature(server, "cancel", cancel(server)).await;
    feature(server, "statement-timeout", statement_timeout(server)).await;
    feature(server, "reconnect", reconnect(server)).await;
    Ok(())
}
