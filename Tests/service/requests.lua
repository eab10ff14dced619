-- For wrk: sends the requests of a file in order, and prints the counts and latencies as one line of JSON.
--
--   wrk ... -s requests.lua ADDRESS -- FILE STATUS WANTED
--
-- The file has complete HTTP requests, separated by NUL. A response counts as good if it has STATUS and its body contains WANTED,
-- and otherwise as bad.

local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(arguments)
    expected, wanted, good, bad, requests = tonumber(arguments[2]), arguments[3], 0, 0, {}
    local file = assert(io.open(arguments[1], "rb"))
    for each in file:read("*a"):gmatch("%Z+") do
        requests[#requests + 1] = each
    end
    file:close()
    -- Each thread starts at another request, so that none repeats another's recent requests.
    at = math.floor(number * #requests / 2) % #requests
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function response(status, _, body)
    if status == expected and body:find(wanted, 1, true) then
        good = good + 1
    else
        bad = bad + 1
    end
end

function done(summary, latency)
    local all, wrong = 0, 0
    for _, thread in ipairs(threads) do
        all, wrong = all + thread:get("good"), wrong + thread:get("bad")
    end
    local errors = summary.errors
    io.write(string.format(
        '\nresult {"seconds": %.6f, "requests": %d, "good": %d, "bad": %d, "broken": %d, "p50": %.3f, "p99": %.3f, "p999": %.3f}\n',
        summary.duration / 1e6, summary.requests, all, wrong, errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000
    ))
end
