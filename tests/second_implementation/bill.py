#!/usr/bin/env python3
"""A second implementation of the bill, from pricing/ and a job's times to dollars, beside feedrate's.

    tests/second_implementation/bill.py path/to/feedrate path/to/pricing [PLANS [SEED]]

It shares no code with the program, and reads no price, no amount and no sum of money that the program
prints but the one that it compares: of an answer it takes times (the whole job, an epoch, start-up,
what is waited for) and how many interruptions are expected. Bytes, requests and checkpoints follow
from the plan, prices from the files by the rules of pricing/README.md. Plans are drawn at random:
stores, storage classes, modes, ways of buying, regions of job and data, clouds, checkpoints,
interruptions, blocks, helpers, volumes, jobs that share a store. Each bill equals the program's to a
cent. FEEDRATE_SEED shifts the seed.
"""
import itertools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CENT = 0.01
UNITS = {"B": 1.0, "KB": 1e3, "KiB": 1024.0, "MB": 1e6, "GB": 1e9, "TB": 1e12, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
         "s": 1.0, "min": 60.0, "days": 86400.0, "h": 3600.0, "month": 730 * 3600.0}
STAND_INS = ["us-east-1", "us-west-2", "us-central1", "westus"]  # for a region without a price, the first that has one
GPU_MACHINES = ["g5.12xlarge", "ml.g5.12xlarge", "p3.2xlarge", "ml.p3.2xlarge", "p4d.24xlarge", "ml.p4d.24xlarge",
                "g4dn.xlarge", "ml.g4dn.12xlarge", "gpu_8x_v100", "a2-highgpu-8g", "8x A100-SXM4-80GB"]
REGIONS = ["us-east-1", "us-west-2", "eu-west-1", "ap-northeast-1", "us-east-2", None]


def base(text):
    """'0.04 USD/(MB/s)/month' in dollars, bytes and seconds; a second is 1, above and below the line."""
    number, _, unit = text.partition(" ")
    first, *others = re.sub(r"[()]", "", unit).split("/")
    value = float(number) * UNITS.get(first, 1.0)
    for other in others:
        value /= UNITS[other]
    return value


class Prices:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.offers, self.clouds = [], {}
        for path in [*sorted((self.folder / "aws").glob("*.json")), *(self.folder / f"{c}.json" for c in ("azure", "gcp", "lambda", "rental"))]:
            data = json.loads(path.read_text())
            for offer in data.get("offers", []):
                regions = offer.pop("by_region", None)
                for region, what in (regions or {None: {}}).items():
                    own = {"region": region} if region else {}
                    self.offers.append(offer | own | (what if isinstance(what, dict) else {"price": what}))
            self.clouds.update({machine["name"]: machine["cloud"] for machine in data["machines"]})
        self.files = {path.stem: json.loads(path.read_text()) for path in self.folder.glob("*.json")}

    def service(self, instance):
        if instance.startswith("ml."):
            return "sagemaker"
        cloud = self.clouds[instance]
        return "ec2" if cloud == "aws" else cloud

    def rented(self, instance, region, purchase):
        """As hourly; SageMaker's managed spot is on demand, less what EC2's spot price saves."""
        found = self.hourly(instance, region, purchase)
        if found or purchase != "spot" or not instance.startswith("ml."):
            return found
        paid, place = self.hourly(instance, region, "on_demand")
        spot, on_demand = (self.hourly(instance.removeprefix("ml."), region, each)[0] for each in ("spot", "on_demand"))
        most = next(row["value"] for row in self.files["services"]["limits"] if row["limit"] == "managed_spot_max")
        return paid * (1.0 - min(max(1.0 - spot / on_demand, 0.0), most)), place

    def hourly(self, instance, region, purchase):
        """Dollars per second of an instance, and the region whose price that is; None: not known."""
        service, name = self.service(instance), instance.removeprefix("ml.")
        same = [o for o in self.offers if o["instance"] == name and o["service"] == service
                and o["purchase"] == purchase and o.get("price")]
        placed = [o for o in same if o["region"] != "not stated"]
        if region:
            ranks = {region: 0, "all": 1, "US": 2 if region.startswith("us-") else None}
        else:
            ranks = {"us-east-1": 0, "all": 1, "us-west-2": 2, "US": 3} | {
                o["region"]: 4 for o in placed if o["region"] not in ("us-east-1", "all", "us-west-2", "US")}
        found = [o for o in placed if ranks.get(o["region"]) is not None] or ([] if placed else same)
        if not found:
            return None
        best = max(found, key=lambda o: (-ranks.get(o["region"], 9), o.get("current", True), o.get("date", "")))
        # One for a US region that its source does not name holds where some region has that name.
        return base(best["price"]), None if best["region"] == "US" else best["region"]

    def stored(self, file, section, region, **fits):
        """The record of a price list in a region, that of another where it has none; None: not known."""
        region = region or "us-east-1"
        records = [r for r in self.files[file][section] if all(r.get(key) == value for key, value in fits.items())]
        for place in [region, "all", *STAND_INS]:
            for record in records:
                if record["region"] == place:
                    return record
        return None

    def limit(self, file, name):
        return base([r for r in self.files[file]["limits"] if r["limit"] == name][0]["value"])

    def rule(self, service):
        for rule in self.files["services"]["billing"]:
            if rule["service"] == service:
                return base(rule["granularity"]), base(rule["minimum"]), rule["startup_billed"]
        return 1.0, 0.0, True

    def tariff(self, path, region, amount):
        """What `amount` bytes cost on their way; beyond a last tier without a price that of the one before holds."""
        record = self.stored("transfer", "tariffs", region, path=path)
        cost, begin, price = 0.0, 0.0, None
        for tier in record["tiers"] if record else []:
            end = min(amount, base(tier["up_to"])) if "up_to" in tier else amount
            price = tier["price"] or price
            cost += max(0.0, end - begin) * base(price)
            begin = max(begin, end)
        return cost

    def out_of(self, cloud, region, to, amount):
        """What bytes cost that leave a cloud for the internet; Google asks where they go."""
        path = "to internet" if cloud == "aws" else f"{cloud} to internet"
        if cloud == "gcp":
            australia = (to or "").startswith(("ap-southeast-2", "ap-southeast-4", "australia"))
            asia = (to or "").startswith(("ap-", "asia", "japan", "korea")) and not australia
            path += " in australia" if australia else " in asia" if asia else ""
        return self.tariff(path, region, amount)

    def between(self, start, end, amount):
        pair = f"{start} to {end}"
        special = any(t["path"] == pair for t in self.files["transfer"]["tariffs"])
        return self.tariff(pair if special else "to another region", start, amount)


def billed_seconds(rule, used):
    granularity, minimum, _ = rule
    units = max(used, minimum) / granularity
    return granularity * (round(units) if abs(units - round(units)) <= 1e-9 * max(1.0, units) else math.ceil(units))


# Bytes of a part in which a client asks for an object, and of one before all others.
CLIENTS = {"boto3": (8 * 2**20, 0), "s3fs": (50 * 2**20, 0), "s3-connector": (8 * 2**20, 0), "mountpoint": (8 * 2**20, 1.125 * 2**20),
           "s5cmd": (50 * 2**20, 0), "gcsfuse": (200e6, 0), "gcs-connector": (math.inf, 0), "blobfuse2": (16e6, 0)}


def asked_for(size, client):
    """Requests by which a client reads an object of that size."""
    part, first = CLIENTS.get(client, (math.inf, 0))
    rest = math.ceil((size - first) / part - 1e-9) if size > first else 0
    return max(1, rest + (first > 0))


def by_tiers(total, record, tiers):
    """What `total` costs where each tier, from its beginning on, has a price of its own or that of the one before."""
    cost, price = 0.0, 0.0
    for (start, key), (end, _) in zip(tiers, [*tiers[1:], (math.inf, None)]):
        price = base(record[key]) if record.get(key) else price
        cost += max(0.0, min(total, end) - start) * price
    return cost


def whole(requests):
    """Requests are billed whole, but for what a sum rounds."""
    nearest = round(requests)
    return nearest if abs(requests - nearest) <= 1e-9 * max(1.0, nearest) else math.ceil(requests)


def in_parts(size, most, beside):
    """Requests that write an object: parts of 8 MiB, larger ones beyond `most` of them, and those that begin and end it."""
    parts = math.ceil(size / max(8 * 2**20, size / most) - 1e-9)
    return parts + beside if parts > 1 else 1


def bill(plan, result, prices):
    """The dollars of a plan, by the times of the result."""
    internet = []  # clouds, regions and bytes, of which the account's free ones are taken off, in this order
    cluster, source, dataset, job = plan["cluster"], plan["source"], plan["dataset"], plan["job"]
    time, courses = result["time"], result["interruptions"] or {}
    instances, epochs, wall = cluster["instances"], job["epochs"], time["total_s"]
    service, mode = source["service"], source["input_mode"]
    instance, purchase = cluster["instance"], cluster["purchase"]
    rented = prices.service(instance)
    region = cluster.get("region")
    off = plan.get("accounting", {}).get("discounts", {})
    parts = dict.fromkeys(("compute", "auxiliary", "storage", "requests", "transfer", "given"), 0.0)

    # Machines: those of the cluster, and helpers that decode for them.
    # Of what is interrupted one instance is gone until its replacement comes, of SageMaker all.
    warm = base(cluster.get("kept_warm", "0 s"))

    def rent(name, count, own, gone=0, after=0.0):
        waits = gone / count * courses.get("capacity_wait_s", 0.0)
        rule = prices.rule(prices.service(name))
        starts = courses.get("expected_interruptions", 0.0) + (courses.get("blocks") or 1.0)
        used = wall - waits - (0.0 if rule[2] else starts * time["startup_s"])
        return count * own, billed_seconds(rule, used + after)

    own = cluster.get("prices", {}).get(instance) if purchase not in ("spot", "capacity_block") else None
    discount = 1.0 - cluster["savings"] if purchase == "savings_plan" else 1.0
    if "price" in cluster:
        each = base(cluster["price"])
    elif own:
        each = base(own) * discount
    else:
        each, place = prices.rented(instance, region, "spot" if purchase == "spot" else "on_demand")
        each *= discount
        region = region or place
    kept = cluster.get("spot", {}).get("on_demand_instances", 0) if purchase == "spot" else 0
    gone = instances if rented == "sagemaker" else 1
    rate, held = rent(instance, instances - kept, each, gone)
    lives = rent(instance, instances - kept, each, gone, warm)[1]  # kept warm for a next job
    booked = max(held, courses["blocks"] * base(cluster["booked"])) if purchase == "capacity_block" else held
    parts["given" if "price" in cluster or own else "compute"] += rate * booked
    if kept:
        rate, there = rent(instance, kept, prices.rented(instance, cluster.get("region"), "on_demand")[0])
        parts["compute"] += rate * there
    parts["given" if "price" in cluster or own else "compute"] += rate * (lives - held)
    helpers = plan["loader"].get("remote")
    if helpers:
        bought = "on_demand" if purchase in ("savings_plan", "capacity_block") else purchase
        price, _ = prices.rented(helpers["instance"], cluster.get("region"), bought)
        if purchase == "savings_plan" and prices.service(helpers["instance"]) == rented:
            price *= discount
        stopped = rented == "sagemaker" and prices.service(helpers["instance"]) == rented
        rate, busy = rent(helpers["instance"], helpers["instances"], price, helpers["instances"] if stopped else 0)
        named = helpers["instance"] in cluster.get("prices", {}) and purchase != "spot"
        parts["given" if named else "auxiliary"] += rate * busy

    # What is read, and written.
    samples, size = dataset["samples"], base(dataset["bytes_per_sample"])
    objects = math.ceil(samples / dataset["samples_per_object"])
    again = courses.get("expected_interruptions", 0.0) * gone
    # Of copies that an interruption cuts short there is the mean of an exponential time, up to all of it.
    between = courses.get("between_interruptions_s") or math.inf
    begin, struck = time["startup_s"] / between, time["staging_s"] / between
    there = math.exp(-begin) * (-math.expm1(-struck) / struck if struck > 0.0 else 1.0)
    copies = (instances + again) * there + instances * ((courses.get("blocks") or 1.0) - 1.0) if mode == "File" else epochs
    read, requests = samples * size * copies, objects * copies * asked_for(samples * size / objects, source.get("access"))
    checkpoint = job.get("checkpoint")
    # Of a burst that ends in some epoch, no two are alike: all of the job but what is no training.
    lost = sum(courses.get(key, 0.0) for key in ("rework_s", "restarts_s", "capacity_wait_s"))
    work = wall - time["startup_s"] - time["staging_s"] - lost
    written = 0
    if checkpoint:
        writing = base(checkpoint["size"]) / base(checkpoint["bandwidth"])
        written = math.floor(work / (base(checkpoint["interval"]) + writing) + 1e-9)
        work -= written * writing
    saved = written * base(checkpoint["size"]) if checkpoint else 0.0
    # A restart that comes to an end of its copying loads one, and a block after the first.
    loads = courses.get("expected_interruptions", 0.0) * math.exp(-begin - struck) + (courses.get("blocks") or 1.0) - 1.0 if written else 0.0
    loaded = loads * base(checkpoint["size"]) if checkpoint else 0.0

    aws = rented in ("ec2", "sagemaker")
    of_aws = service in ("s3", "efs", "fsx-lustre")
    job_region = (region if aws else None) or "us-east-1"
    place = source.get("region") or (job_region if of_aws else region)
    # Jobs that share it run one after the other: together for as long as all of them take.
    lease = base(source["storage_held"]) / job.get("jobs", 1) if "storage_held" in source else wall
    holds = source.get("bill_storage", service not in ("s3", "gcs", "azure-blob"))
    amount = lambda record, key: base(record[key]) if record and record.get(key) else 0.0
    if service == "s3":
        price = prices.stored("s3", "prices", place, storage_class=source.get("storage_class", "STANDARD"))
        parts["requests"] += math.ceil(requests) * amount(price, "per_1000_gets") / 1000
        parts["transfer"] += read * amount(price, "retrieval")
        if holds and price:
            paid_for = max(samples * size, objects * base(price.get("least_object", "0 B")))
            least = base(price.get("least_held", "0 h")) if "storage_held" in source else 0.0
            paid_time = max(lease * job.get("jobs", 1), least) / job.get("jobs", 1)
            tiers = [(0.0, "storage"), (50e12, "above_50_tb"), (500e12, "above_500_tb")]
            parts["storage"] += by_tiers(paid_for, price, tiers) * paid_time
            if samples * size / objects >= 128 * 1024:
                parts["storage"] += objects * amount(price, "per_1000_objects") / 1000 * lease
    elif service in ("gcs", "azure-blob"):
        price = prices.stored("object_stores", "prices", place, service=service.replace("-", "_"),
                              storage_class=source.get("storage_class", {"gcs": "STANDARD", "azure-blob": "Hot, LRS, StorageV2"}[service]))
        parts["requests"] += math.ceil(requests) * amount(price, "per_10000_reads") / 10000
        parts["storage"] += samples * size * amount(price, "storage") * lease if holds else 0.0
    elif service == "fsx-lustre":
        tier = dict(deployment_type=source["deployment_type"], throughput=source["throughput_per_capacity"])
        price = prices.stored("fsx_lustre", "prices", place, **tier)
        steps = [s for s in prices.files["fsx_lustre"]["steps"] if s.get("deployment_type") in (None, tier["deployment_type"])
                 and s.get("throughput") in (None, tier["throughput"])][0]
        first, second, step = (base(steps[key]) for key in ("first", "second", "step"))
        # FSx calls 1000 GiB a TiB; a capacity that is one of its sizes as it stands is written so.
        sizes = lambda wanted: first if wanted <= first else second if wanted <= second else math.ceil(wanted / step - 1e-9) * step
        given = base(source.get("capacity", "0 B"))
        size_there = given > 0 and abs(sizes(given) / given - 1) < 1e-9
        sold = sizes(max(given if size_there else given * 1.024, samples * size * 1.024))
        parts["storage"] += sold * amount(price, "storage") * lease if holds else 0.0
        if source.get("lazy_load_from_s3"):
            bucket = prices.stored("s3", "prices", place, storage_class=source.get("storage_class", "STANDARD"))
            parts["requests"] += objects * amount(bucket, "per_1000_gets") / 1000 / job.get("jobs", 1)
            parts["transfer"] += samples * size * amount(bucket, "retrieval") / job.get("jobs", 1)
    elif service == "efs":
        how = source.get("throughput_mode", "elastic")
        price = prices.stored("efs", "prices", place, storage_class=source.get("storage_class", "One Zone" if how == "one zone" else "Standard (regional)"))
        paid = prices.stored("efs", "throughput_prices", place)
        parts["storage"] += samples * size * amount(price, "storage") * lease if holds else 0.0
        parts["transfer"] += read * amount(price, "access")
        if how == "elastic":
            parts["transfer"] += read * amount(paid, "elastic_read")
        elif how == "provisioned" and holds:
            earned = prices.limit("efs", "earned") * samples * size
            parts["storage"] += max(0.0, base(source["provisioned_throughput"]) - earned) * amount(paid, "provisioned") * lease
    here = "aws" if aws else rented
    clouds = {"s3": "aws", "efs": "aws", "fsx-lustre": "aws", "gcs": "gcp", "azure-blob": "azure"}
    if clouds.get(service, here) != here:
        internet.append((clouds[service], place, region, read))
    elif of_aws and place != job_region:
        parts["transfer"] += prices.between(place, job_region, read)

    # Checkpoints: where they go, what that asks for each of them and each byte, and for keeping some.
    checkpoint = checkpoint or {}
    store = checkpoint.get("to", service)
    home = "to" not in checkpoint
    goes = checkpoint.get("region") or (place if home else job_region if store in ("s3", "efs") else region)
    kept_bytes = min(checkpoint.get("kept", 0), written) * base(checkpoint.get("size", "0 B"))
    kept_for = base(checkpoint["held"]) if "held" in checkpoint else wall
    price = None
    if store == "s3":
        price = prices.stored("s3", "prices", goes, storage_class=source.get("storage_class", "STANDARD") if home else "STANDARD")
        parts["requests"] += written * in_parts(base(checkpoint.get("size", "0 B")), 10000, 2) * amount(price, "per_1000_puts") / 1000
        parts["transfer"] += saved * amount(price, "upload") + loaded * amount(price, "retrieval")
        parts["requests"] += whole(loads * in_parts(base(checkpoint.get("size", "0 B")), 10000, 0)) * amount(price, "per_1000_gets") / 1000
    elif store in ("gcs", "azure-blob"):
        usual = {"gcs": "STANDARD", "azure-blob": "Hot, LRS, StorageV2"}[store]
        price = prices.stored("object_stores", "prices", goes, service=store.replace("-", "_"),
                              storage_class=source.get("storage_class", usual) if home else usual)
        requests = in_parts(base(checkpoint.get("size", "0 B")), 50000, 1) if store == "azure-blob" else 1
        parts["requests"] += written * requests * amount(price, "per_10000_writes") / 10000
        requests = in_parts(base(checkpoint.get("size", "0 B")), 50000, 0) if store == "azure-blob" else 1
        parts["requests"] += whole(loads * requests) * amount(price, "per_10000_reads") / 10000
    elif store == "efs":
        price = prices.stored("efs", "prices", goes, storage_class="Standard (regional)")
        if not home or "region" in checkpoint or source.get("throughput_mode", "elastic") == "elastic":
            paid = prices.stored("efs", "throughput_prices", goes)
            parts["transfer"] += saved * amount(paid, "elastic_write") + loaded * amount(paid, "elastic_read")
    if clouds.get(store, here) != here:
        internet.append((here, job_region if aws else region, goes, saved))
        internet.append((clouds[store], goes, job_region if aws else region, loaded))
    # Each is paid for so long at least, also if the next one soon takes its place.
    least = amount(price, "least_held")
    parts["storage"] += kept_bytes * amount(price, "storage") * max(kept_for, least) + max(0.0, saved - kept_bytes) * amount(price, "storage") * least
    if aws and store in ("s3", "efs", "fsx-lustre") and goes != job_region:
        parts["transfer"] += prices.between(job_region, goes, saved) + prices.between(goes, job_region, loaded)

    # A NAT gateway, by the byte and the hour, begun ones whole.
    public = ("s3", "gcs", "azure-blob", "http")
    passing = (read if service in public else 0.0) + (saved + loaded if store in public else 0.0)
    nat = prices.stored("transfer", "nat_gateway_prices", job_region)
    if source.get("nat_gateway") and passing and aws and nat:
        parts["transfer"] += passing * amount(nat, "through")
        parts["auxiliary"] += amount(nat, "hour") * math.ceil(wall / 3600 - 1e-9) * 3600 / job.get("jobs", 1)

    # From zone to zone, both ways: what a file system of one zone sends to the others, and what a ring over them does.
    zones = min(cluster.get("zones", 1), instances)
    single = service == "fsx-lustre" or service == "efs" and "one zone" in (source.get("throughput_mode"), source.get("storage_class", "").lower())
    across = 0.0 if not single else 1.0 if source.get("other_zone") else (zones - 1) / zones
    if aws and across:
        parts["transfer"] += prices.tariff("between zones", job_region, 2 * across * read)
        if store == service:
            parts["transfer"] += prices.tariff("between zones", job_region, 2 * across * (saved + loaded))
    if aws and zones > 1 and helpers:
        sent = samples * epochs * base(helpers["bytes_per_sample"])
        parts["transfer"] += prices.tariff("between zones", job_region, 2 * (zones - 1) / zones * sent)
    if aws and zones > 1 and "allreduce" in job:
        sent = 2 * (instances - 1) / instances * base(job["allreduce"]["gradient_bytes"])
        steps = epochs * math.ceil(math.ceil(samples / instances) / plan["loader"]["batch_size"])
        again = courses.get("rework_s", 0.0) / work
        parts["transfer"] += prices.tariff("between zones", job_region, 2 * zones * sent * steps * (1 + again))
    free = base(plan.get("accounting", {}).get("free_transfer", "0 B"))
    for cloud, where, to, sent in internet:
        if cloud not in clouds.values():
            continue  # no price of it is known
        parts["transfer"] += prices.out_of(cloud, where, to, max(0.0, sent - free))
        free = max(0.0, free - sent)

    # A volume for each instance of AWS, for as long as that is billed, or as it holds the data.
    disk = plan["disk"]
    if disk["kind"] == "ebs" and aws:
        data = service == "ebs"
        lives = base(source["storage_held"]) if data and "storage_held" in source else lives
        if not data or holds:
            if rented == "sagemaker":
                parts["storage"] += instances * base(disk["size"]) * prices.limit("services", "sagemaker_volume_price") * lives
            else:
                price = prices.stored("ebs", "prices", job_region, type=disk["volume_type"])
                volume = [v for v in prices.files["ebs"]["volumes"] if v["type"] == disk["volume_type"]][0]
                above = lambda key, free: max(0.0, base(disk[key]) - (base(volume[free]) if free in volume else 0.0))
                monthly = base(disk["size"]) * amount(price, "storage")
                if price and "iops" in price:
                    tiers = [(base(volume.get("baseline_iops", "0 /s")), "iops"), (32e3, "iops_above_32000"), (64e3, "iops_above_64000")]
                    monthly += by_tiers(base(disk["iops"]), price, tiers)
                if price and "bandwidth" in price:
                    monthly += above("bandwidth", "baseline_bandwidth") * amount(price, "bandwidth")
                parts["storage"] += instances * monthly * lives
        if "snapshot_held" in disk and rented != "sagemaker":
            snapshot = amount(prices.stored("ebs", "prices", job_region, type="snapshot"), "storage")
            parts["storage"] += min(base(disk["size"]), samples * size) * snapshot * base(disk["snapshot_held"]) / job.get("jobs", 1)
    paid = sum(amount * (1.0 - off.get(part, 0.0)) for part, amount in parts.items())
    return paid + wall * base(job.get("value_of_hour", "0 USD/h"))


def drawn(draw):
    """A plan, and keys with the values that each of its neighbours has, as --vary takes them."""
    pick, log = draw.choice, lambda low, high: math.exp(draw.uniform(math.log(low), math.log(high)))
    maybe = lambda chance: draw.random() < chance
    service = pick(["s3", "s3", "s3", "efs", "efs", "fsx-lustre", "gcs", "azure-blob", "ebs", "http"])
    mount = service in ("efs", "fsx-lustre")
    source = {"service": service, "first_byte_latency": "10 ms",
              "input_mode": "local" if service == "ebs" else "mount" if mount else pick(["File", "FastFile", "stream"])}
    if service == "gcs" or service == "azure-blob" or service == "http":
        source["input_mode"] = pick(["File", "stream"])
    clients = {"s3": {"File": ["boto3", "s5cmd"], "stream": ["boto3", "s3fs", "s3-connector"], "mount": ["mountpoint"]},
               "gcs": {"File": ["gcs-connector"], "stream": ["gcs-connector"], "mount": ["gcsfuse"]}, "azure-blob": {"mount": ["blobfuse2"]}}
    if service in clients and maybe(0.5):
        source["input_mode"] = pick(list(clients[service]))
        source["access"] = pick(clients[service][source["input_mode"]])
    if maybe(0.6):
        source["bill_storage"] = maybe(0.7)
    if maybe(0.5):
        source["storage_held"] = f"{draw.randint(1, 3000)} h"
    if service == "s3" and maybe(0.7):
        source["storage_class"] = pick(["STANDARD", "STANDARD_IA", "EXPRESS_ONEZONE", "INTELLIGENT_TIERING frequent"])
    if service == "efs":
        source["throughput_mode"] = pick(["elastic", "elastic", "provisioned", "bursting", "one zone"])
        if source["throughput_mode"] == "provisioned":
            source["provisioned_throughput"] = f"{draw.randint(1, 3000)} MB/s"
        if source["throughput_mode"] != "one zone" and maybe(0.5):
            source["storage_class"] = pick(["Standard (regional)", "Standard-IA", "One Zone", "Archive"])
    if service == "fsx-lustre":
        source["deployment_type"], source["throughput_per_capacity"] = pick(
            [("SCRATCH_2", "200 MB/s/TiB"), ("SCRATCH_1", "200 MB/s/TiB"), ("PERSISTENT_1", "100 MB/s/TiB"),
             ("PERSISTENT_2", "125 MB/s/TiB"), ("PERSISTENT_2", "1000 MB/s/TiB"), ("PERSISTENT_1 HDD", "12 MB/s/TiB"), ("PERSISTENT_1 HDD", "40 MB/s/TiB")])
        source["lazy_load_from_s3"] = maybe(0.5)
        if source["lazy_load_from_s3"] and maybe(0.3):
            source["storage_class"] = "STANDARD_IA"
    if service == "gcs" and maybe(0.7):
        source["region"] = pick(["us-central1", "EU multi-region"])
    if service == "azure-blob" and maybe(0.7):
        source["region"] = "westus"
    samples = draw.randint(20, 4000) * 1000
    dataset = {"samples": samples, "bytes_per_sample": f"{round(log(1e4, 3e6))} B", "size_cv": 0,
               "samples_per_object": pick([1, 1, 1000])}
    disk = {"kind": "other", "bandwidth": "2 GB/s", "page_cache": "0 B"}
    if service == "ebs" or source["input_mode"] == "File" and maybe(0.5):
        kind = pick(["gp3", "gp2", "io1", "io2", "st1", "sc1"])
        most = {"gp3": (16000, 1000), "gp2": (3000, 250), "io1": (60000, 1000), "io2": (150000, 1000), "st1": (500, 500), "sc1": (250, 250)}[kind]
        disk = {"kind": "ebs", "volume_type": kind, "size": "16000 GB", "page_cache": "0 B",
                "iops": f"{draw.randint(100, most[0])} /s", "bandwidth": f"{draw.randint(50, most[1])} MB/s"}
    purchase = pick(["on_demand", "on_demand", "on_demand", "spot", "savings_plan", "capacity_block"])
    cluster = {"instances": pick([1, 1, 2, 4]), "gpus_per_instance": 1, "purchase": purchase, "network": "10 Gbit/s",
               "vcpus": 16, "memory": "1 TB"}
    job = {"epochs": 1, "step": f"{round(log(5, 500), 3)} ms"}
    if purchase == "savings_plan":
        cluster["savings"] = round(draw.uniform(0.0, 0.6), 3)
    if purchase == "capacity_block":
        cluster["booked"], cluster["price"] = f"{draw.randint(24, 300)} h", f"{round(log(1, 60), 3)} USD/h"
    elif maybe(0.2) and purchase == "on_demand":
        cluster["price"] = f"{round(log(0.2, 60), 4)} USD/h"
    elif maybe(0.2) and purchase != "spot":
        cluster["prices"] = {name: f"{round(log(0.2, 60), 4)} USD/h" for name in draw.sample(GPU_MACHINES, 4)}
    interrupted = maybe(0.3) and purchase != "capacity_block"
    if interrupted and purchase == "spot":
        cluster["spot"] = {"rate": f"{round(log(1e-3, 0.05), 5)} /h", "wait_for_capacity": f"{draw.randint(0, 60)} min"}
    elif interrupted:
        cluster["failures"] = {"mttf": f"{draw.randint(100, 2000)} h"}
    elif maybe(0.4):
        job["startup"] = f"{draw.randint(1, 900)} s"
    if maybe(0.4) and (interrupted or purchase == "capacity_block"):
        job["checkpoint"] = {"size": f"{draw.randint(1, 60)} GB", "interval": f"{draw.randint(10, 60)} min", "bandwidth": "2 GB/s"}
        if maybe(0.5):
            job["checkpoint"]["to"] = pick(["s3", "gcs", "efs"])
        if maybe(0.3) and job["checkpoint"].get("to", service) in ("s3", "efs"):
            job["checkpoint"]["region"] = pick(["us-east-1", "us-west-2", "eu-west-1"])
        if maybe(0.5):
            job["checkpoint"]["kept"] = draw.randint(1, 9)
        if maybe(0.3):
            job["checkpoint"]["held"] = f"{draw.randint(1, 900)} h"
    if (interrupted or purchase == "spot") and source["input_mode"] == "File":
        cluster["instances"] = 1  # what several share, one alone copies faster
    if interrupted and purchase == "spot" and cluster["instances"] > 1 and maybe(0.5):
        cluster["spot"]["on_demand_instances"] = draw.randint(1, cluster["instances"] - 1)
    if maybe(0.2):
        source["nat_gateway"] = True
    if maybe(0.3):
        cluster["zones"] = draw.randint(1, 3)
    if maybe(0.3):
        source["other_zone"] = True
    if maybe(0.3) and cluster["instances"] > 1:
        job["allreduce"] = {"gradient_bytes": f"{draw.randint(1, 4000)} MB", "busbw": "1 GB/s"}
    if disk["kind"] == "ebs" and maybe(0.4):
        disk["snapshot_held"] = f"{draw.randint(1, 3000)} h"
    if maybe(0.3) and purchase in ("on_demand", "savings_plan"):
        cluster["kept_warm"] = f"{draw.randint(1, 60)} min"
    if interrupted:
        job["startup"] = "0 s"
    elif service == "s3" and source["input_mode"] != "File" and purchase != "capacity_block" and maybe(0.3):
        dataset["samples"] *= 100  # beyond the first tiers of what is held
    if maybe(0.3):
        job["jobs"] = draw.randint(1, 6)
    if maybe(0.3):
        job["value_of_hour"] = f"{draw.randint(1, 90)} USD/h"
    loader = {"num_workers": 8, "batch_size": 64}
    preprocess = [{"operation": "decode", "cpu": "1 ms"}]
    if not mount and service not in ("ebs",) and source["input_mode"] != "File" and maybe(0.4):
        loader["remote"] = {"instance": pick(["c5.4xlarge", "c5.9xlarge", "ml.c5.4xlarge"]), "instances": draw.randint(1, 4), "bytes_per_sample": "10 KB"}
        preprocess[0]["where"] = "remote"
    machines = [name for name in draw.sample(GPU_MACHINES, 4)
                if "remote" not in loader or name.removeprefix("ml.")[:2] in ("g5", "p3", "p4", "g4")]
    if "on_demand_instances" in cluster.get("spot", {}):
        machines = [name for name in machines if not name.startswith("ml.")]
    vary = {"/cluster/instance": machines or ["g5.12xlarge"], "/job/epochs": [1, draw.randint(2, 30)],
            "/cluster/region": draw.sample([r for r in REGIONS if r], 2) if maybe(0.8) else [None]}
    if service in ("s3", "efs", "fsx-lustre") and maybe(0.6):
        vary["/source/region"] = draw.sample(["us-east-1", "us-west-2", "eu-west-1", "ap-northeast-1", "eu-central-1", "us-east-2"], 2)
    accounting = {"tags": {"team": "drawn"}}
    if maybe(0.3):
        parts = ["compute", "auxiliary", "storage", "requests", "transfer"]
        accounting["discounts"] = {part: round(draw.uniform(0.0, 0.4), 3) for part in draw.sample(parts, draw.randint(1, 5))}
    if maybe(0.3):
        accounting["free_transfer"] = f"{draw.randint(1, 2000)} GB"
    plan = {"name": "drawn", "dataset": dataset, "source": source, "disk": disk, "loader": loader, "preprocess": preprocess,
            "cluster": cluster, "job": job, "accounting": accounting, "measured_on": {"gpu_times": "any", "cpu_times": "any", "loader_times": "any", "remote_times": "any", "price": "any"}}
    return plan, vary


def changed(plan, settings):
    """The plan with the settings of a point of the sweep."""
    other = json.loads(json.dumps(plan))
    for key, value in settings.items():
        _, section, name = key.split("/")
        other[section][name] = float(value) if name == "epochs" else value
    return other


def answers(program, plan, vary):
    """The results of all points, each with its plan; those that the program refuses are left out."""
    grid = {key: values for key, values in vary.items() if values != [None]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plan, file)
        file.flush()
        flags = [f"--vary={key}={','.join(str(value) for value in values)}" for key, values in grid.items()]
        run = subprocess.run([program, "sweep", file.name, "--mean", "--format", "json", *flags], capture_output=True, text=True)
    if run.returncode == 2 and all("price" in line for line in run.stderr.splitlines()):
        return  # none of these machines can be had so
    if run.returncode != 0:
        sys.exit(f"exit status {run.returncode}: {run.stderr}\n{json.dumps(plan)} {flags}")
    for point, values in zip(json.loads(run.stdout)["points"], itertools.product(*grid.values())):
        yield changed(plan, dict(zip(grid, values))), point["result"], point.get("problems")


def main():
    program, prices = sys.argv[1], Prices(sys.argv[2])
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    draw = random.Random((int(sys.argv[4]) if len(sys.argv) > 4 else 1) + int(os.environ.get("FEEDRATE_SEED", "0")))
    done = wrong = refused = found = 0
    dollars = {}
    while done < wanted:
        plan, vary = drawn(draw)
        for changed_plan, result, problems in answers(program, plan, vary):
            if result is None:
                refused += 1
                continue
            done += 1
            mine, theirs = bill(changed_plan, result, prices), result["cost"]["total_usd"]
            for part in ("storage", "requests", "transfer", "auxiliary"):
                dollars[part] = dollars.get(part, 0) + (result["cost"][part + "_usd"] > CENT)
            if abs(mine - theirs) > CENT / 2 + 1e-9 * theirs:
                wrong += 1
                if wrong <= 5:
                    print(f"{theirs:.4f} USD, and {mine:.4f} by the files\n  {json.dumps(changed_plan)}\n  {json.dumps(result['cost']['lines'])}")
            # It can fail: a plan whose prices are a thousandth higher is found, where that is a cent.
            dearer = bill(changed_plan, result | {"time": {k: v * 1.001 for k, v in result["time"].items()}}, prices)
            found += abs(dearer - theirs) > CENT / 2
        if refused > 20 * (done + 50):
            sys.exit(f"{refused} plans were refused, and {done} were not")
    print(f"{done} plans: {wrong} wrong; {refused} refused; with more than a cent of: {dollars}; found 0.1 % longer: {found}")
    enough = found > done / 3 and all(count > done / 50 for count in dollars.values())
    return 1 if wrong or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
