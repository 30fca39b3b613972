-- Posts a statement to /v1/sql. {n} in it becomes a number that no request had before, so that no answer can be kept.
-- wrk -s statements.lua URL -- STATEMENT FIRST_NUMBER
local threads = 0

function setup(thread)
  thread:set("thread", threads)
  threads = threads + 1
end

function init(args)
  statement = args[1]
  varies = statement:find("{n}", 1, true) ~= nil
  -- Each thread counts in a range of its own.
  number = tonumber(args[2]) + thread * 10000000
  headers = { ["Content-Type"] = "application/sql" }
  unchanged = wrk.format("POST", "/v1/sql?fmt=json", headers, statement)
end

function request()
  if not varies then
    return unchanged
  end
  number = number + 1
  return wrk.format("POST", "/v1/sql?fmt=json", headers, (statement:gsub("{n}", string.format("%d", number))))
end
