-- For wrk: posts the lines of a file in order, and prints the counts and latencies as one line of JSON.
--
--   wrk ... -s verify.lua ADDRESS -- FILE WANTED
--
-- A response counts as good if its status is 200 and its body contains WANTED, and otherwise as bad.

local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(arguments)
    wanted, good, bad, requests = arguments[2], 0, 0, {}
    local headers = { ["Content-Type"] = "application/json" }
    for line in io.lines(arguments[1]) do
        requests[#requests + 1] = wrk.format("POST", nil, headers, line)
    end
    -- Each thread starts at another line, so that none repeats another's recent requests.
    at = math.floor(number * #requests / 2) % #requests
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function response(status, _, body)
    if status == 200 and body:find(wanted, 1, true) then
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
