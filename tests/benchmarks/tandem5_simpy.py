#!/usr/bin/python3
"""tandem5 in SimPy, in its idiomatic form: a process per server, a Store per buffer.

Usage: tandem5_simpy.py ITEMS deterministic|exponential
Prints: makespan in ms, events per CPU second (an event is a service completion, five an item).
"""
import random
import sys
import time

import simpy

STATIONS = ((8, 7.5), (4, 3.0), (16, 14.0), (1, 0.8), (1, 1.0))
ROOM = 64


def server(env, source, sink, service):
    while True:
        item = yield source.get()
        yield env.timeout(service())
        yield sink.put(item)


def last_server(env, source, service, items):
    for _ in range(items):
        yield source.get()
        yield env.timeout(service())


def feed(first, items):
    for item in range(items):
        yield first.put(item)


def main():
    items = int(sys.argv[1])
    exponential = sys.argv[2] == "exponential"
    random.seed(1)
    env = simpy.Environment()
    stores = [simpy.Store(env, capacity=ROOM) for _ in STATIONS]
    env.process(feed(stores[0], items))
    done = None
    for i, (servers, mean) in enumerate(STATIONS):
        if exponential:
            service = lambda rate=1.0 / mean: random.expovariate(rate)
        else:
            service = lambda mean=mean: mean
        for _ in range(servers):
            if i + 1 < len(STATIONS):
                env.process(server(env, stores[i], stores[i + 1], service))
            else:
                done = env.process(last_server(env, stores[i], service, items))
    start = time.process_time()
    env.run(until=done)
    seconds = time.process_time() - start
    print(f"{env.now:.4f} {5 * items / seconds:.0f}")


if __name__ == "__main__":
    main()
