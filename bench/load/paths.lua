-- Asks for the paths of a file, one after another, again and again.
-- wrk -s paths.lua URL -- FILE
function init(args)
  requests = {}
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
  number = 0
end

function request()
  number = number % #requests + 1
  return requests[number]
end
