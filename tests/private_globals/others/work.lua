-- Work for an interpreter: every part of it that has state, with results that depend on it.
local lines = 0
local function say(...) lines = lines + 1; print(lines, ...) end

-- Strings, patterns, numbers.
for i = 1, 40 do
  local text = string.rep("abc" .. i, 50)
  say(#text, text:gsub("b(%d)", "<%1>"):sub(1, 40), string.format("%.17g %x %q", i / 7, i * 977, i / 3))
end
say(string.pack(">i4d", 77, 1.5):byte(1, -1))

-- Tables, sorting, closures.
local seed = 42
local function random() seed = (seed * 1103515245 + 12345) % 2147483648; return seed end
for round = 1, 12 do
  local numbers = {}
  for i = 1, 3000 do numbers[i] = random() end
  table.sort(numbers, function(a, b) return a % 1000 < b % 1000 or (a % 1000 == b % 1000 and a < b) end)
  say(round, numbers[1], numbers[1500], numbers[3000], #table.concat(numbers, ","))
end

-- Coroutines and errors that cross them.
local function generate(n)
  return coroutine.wrap(function()
    for i = 1, n do coroutine.yield(i * i) end
    error({ code = n })
  end)
end
for n = 100, 2000, 100 do
  local next, sum = generate(n), 0
  for _ = 1, n do sum = sum + next() end
  local good, problem = pcall(next)
  say(n, sum, good, type(problem) == "table" and problem.code)
end

-- Objects that are collected, with methods of their own at their end.
local collected = 0
local kind = { __gc = function() collected = collected + 1 end, __index = function(_, key) return key .. "!" end }
for _ = 1, 20 do
  for _ = 1, 200 do setmetatable({}, kind) end
  collectgarbage()
end
say("collected", collected, setmetatable({}, kind).word)

-- Code made while it runs.
local total = 0
for i = 1, 300 do total = total + load("local a, b = ... ; return a * b + " .. i)(i, 3) end
say("loaded", total)

-- Files.
local name = os.tmpname()
local file <close> = assert(io.open(name, "w+"))
for i = 1, 2000 do file:write(i, " ", random(), "\n") end
file:seek("set", 0)
local sum = 0
for line in file:lines() do
  local first, second = line:match("^(%d+) (%d+)$")
  sum = (sum * 31 + first + second) % 1000003
end
assert(os.remove(name))
say("file", sum)

-- Much computing.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for n = 18, 25 do say("fib", n, fib(n)) end
local sieve, primes = {}, 0
for i = 2, 60000 do
  if not sieve[i] then
    primes = primes + 1
    for j = i * i, 60000, i do sieve[j] = true end
  end
end
say("primes", primes)
io.write(string.format("%d lines, %.3f\n", lines, math.sin(lines)))
