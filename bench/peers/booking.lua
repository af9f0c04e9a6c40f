-- For wrk: one booking a request, each with a key of its own.
--
-- wrk … -s booking.lua URL -- REQUEST ACCOUNTS
--   REQUEST   a file: headers, an empty line, the body. {key}, {debit} and {credit} are filled in.
--   ACCOUNTS  a file: one account a line. Both sides of a booking are drawn from it.

local headers, body = {}, ''
local accounts = {}
local run, count = '', 0

function init(args)
  local in_body = false
  for line in io.lines(args[1]) do
    if in_body then
      body = body .. line
    elseif line == '' then
      in_body = true
    else
      local name, value = line:match('^([^:]+): (.*)$')
      headers[name] = value
    end
  end
  for line in io.lines(args[2]) do
    accounts[#accounts + 1] = line
  end
  -- From the system: two runs in one second have keys of their own.
  local source = io.open('/dev/urandom', 'rb')
  local seed = 0
  for _, byte in ipairs({ source:read(6):byte(1, 6) }) do
    seed = seed * 256 + byte
    run = run .. string.format('%02x', byte)
  end
  source:close()
  math.randomseed(seed)
end

function request()
  count = count + 1
  local debit = math.random(#accounts)
  -- Never the same account twice.
  local credit = (debit + math.random(#accounts - 1) - 1) % #accounts + 1
  local values = {
    key = string.format('%s-%d', run, count),
    debit = accounts[debit],
    credit = accounts[credit],
  }
  local filled = {}
  for name, value in pairs(headers) do
    filled[name] = value:gsub('{(%l+)}', values)
  end
  return wrk.format('POST', nil, filled, (body:gsub('{(%l+)}', values)))
end

function done(summary)
  local errors = summary.errors
  io.write(
    string.format(
      'answered %d refused %d broken %d microseconds %d\n',
      summary.requests,
      errors.status,
      errors.connect + errors.read + errors.write + errors.timeout,
      summary.duration
    )
  )
end
