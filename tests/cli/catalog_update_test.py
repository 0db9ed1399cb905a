"""feedrate catalog update against servers that answer as the vendors' do, and as broken ones do.

    catalog_update_test.py PROGRAM SOURCE_FOLDER
"""

import http.server
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM, SOURCE = sys.argv[1:3]
DATE = "2026-11-20"
JOB = os.path.join(SOURCE, "scenarios/caltech256_p3.json")


def aws_list(prices, region="us-east-1", offer="AmazonEC2", date=DATE):
    """A bulk file as AWS lays it out, of what others have: another system, reserved only."""
    products, terms = {}, {}

    def add(name, system, price):
        sku = f"SKU{len(products)}"
        if offer == "AmazonEC2":
            attributes = {
                "instanceType": name, "regionCode": region, "operatingSystem": system,
                "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used",
            }
        else:
            attributes = {"instanceName": "ml." + name, "regionCode": region, "component": "Training"}
        products[sku] = {"sku": sku, "productFamily": "Compute Instance", "attributes": attributes}
        dimension = {"unit": "Hrs", "pricePerUnit": {"USD": f"{price:.10f}"}}
        terms[sku] = {sku + ".T": {"sku": sku, "priceDimensions": {sku + ".T.R": dimension}}}

    for name, price in prices.items():
        add(name, "Linux", price)
    if offer == "AmazonEC2":
        add("p3.2xlarge", "Windows", 9.0)
    return json.dumps({
        "formatVersion": "v1.0", "offerCode": offer, "version": "1",
        "publicationDate": date + "T17:55:34Z", "products": products,
        "terms": {"OnDemand": terms, "Reserved": {}},
    }).encode()


def storage_list(offer, rows, region="us-east-1"):
    """A bulk file of storage; rows: (family, attributes, unit, price of the first tier)."""
    products, terms = {}, {}
    for i, (family, attributes, unit, price) in enumerate(rows):
        sku = f"STORE{i}"
        products[sku] = {"sku": sku, "productFamily": family, "attributes": {"regionCode": region, **attributes}}
        tiers = {
            f"{sku}.T.{begin}": {"unit": unit, "beginRange": begin, "pricePerUnit": {"USD": f"{price * part:.10f}"}}
            for begin, part in (("512000", 0.9), ("0", 1.0), ("51200", 0.95))
        }
        terms[sku] = {sku + ".T": {"sku": sku, "priceDimensions": tiers}}
    return json.dumps({
        "formatVersion": "v1.0", "offerCode": offer, "publicationDate": DATE + "T17:55:34Z",
        "products": products, "terms": {"OnDemand": terms},
    }).encode()


def sky_list(rows):
    """A vms.csv; rows: (instance, region, zone, price, spot)."""
    text = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
    for name, region, zone, price, spot in rows:
        text += f"{name},,,,,,{price},{spot},{region},{zone}\n"
    return text.encode()


def meter(sku, price, name="", region="westus3", **more):
    """A meter of Azure's Retail Prices API."""
    made = {
        "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "unitPrice": price,
        "armRegionName": region, "location": "US West 3", "effectiveStartDate": "2026-01-01T00:00:00Z",
        "productName": "Virtual Machines NDsr H200 v5 Series", "skuName": name or sku,
        "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption",
        "isPrimaryMeterRegion": True, "armSkuName": sku,
    }
    made.update(more)
    return made


def azure_page(items, next_page=None):
    return json.dumps({
        "BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail",
        "Items": items, "NextPageLink": next_page, "Count": len(items),
    }).encode()


class Answer:
    """What a server says to one request."""

    def __init__(self, body=b"", status=200, tag=None, headers=None, cut=None, slow=False, ranges=True,
                 length=True):
        self.body, self.status, self.tag, self.headers = body, status, tag, headers or {}
        self.cut, self.slow, self.ranges, self.length = cut, slow, ranges, length


class Server:
    """Answers each path with the answers that it has for it, one after the other, the last one again
    and again."""

    def __init__(self, answers, port=0):
        outer = self
        self.answers = {path: list(those) if isinstance(those, list) else [those]
                        for path, those in answers.items()}
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.asked.append((self.path, dict(self.headers)))
                left = outer.answers.get(self.path)
                answer = Answer(b"no such page", 404) if not left else left[0]
                if left and len(left) > 1:
                    left.pop(0)
                body, status, first = answer.body, answer.status, 0
                wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
                same = self.headers.get("If-Range") in (None, answer.tag)
                sent = {}
                if wanted and answer.ranges and status == 200 and same:
                    first = int(wanted[1])
                    if first >= len(body):
                        status, body, sent = 416, b"", {"Content-Range": f"bytes */{len(answer.body)}"}
                    else:
                        sent = {"Content-Range": f"bytes {first}-{len(body) - 1}/{len(body)}"}
                        status, body = 206, body[first:]
                self.send_response(status)
                if answer.length:
                    self.send_header("Content-Length", str(len(body)))
                else:
                    self.close_connection = True
                if answer.tag:
                    self.send_header("ETag", answer.tag)
                for name, value in {**sent, **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.cut is not None and len(body) > answer.cut:
                    self.wfile.write(body[: answer.cut])
                    self.wfile.flush()
                    self.close_connection = True
                    return
                if answer.slow:
                    self.wfile.write(body[: len(body) // 2])
                    self.wfile.flush()
                    time.sleep(20)
                    return
                self.wfile.write(body)

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that is gone

        self.server = Quiet(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Update(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.own = os.path.join(self.folder, "feedrate/pricing")
        self.environment = {
            **os.environ, "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": self.folder,
            "SOURCE_DATE_EPOCH": "1795478400",  # 2026-11-24
        }
        for name in ("FEEDRATE_PRICING", "AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
                     "http_proxy", "https_proxy"):
            self.environment.pop(name, None)

    def feedrate(self, *arguments, **more):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=SOURCE,
                              env=self.environment, timeout=120, **more)

    def update(self, *arguments, status=0, says=""):
        done = self.feedrate("catalog", "update", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(says, done.stdout + done.stderr)
        if status:
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.own), "a failure makes no folder")
        return done

    def left(self):
        folder = self.own + ".lists"
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def offers_of(path):
    """The offers of a pricing file, one a region."""
    with open(path, encoding="utf-8") as file:
        for offer in json.load(file)["offers"]:
            regions = offer.pop("by_region", None)
            for region, what in (regions or {None: {}}).items():
                own = {"region": region} if region else {}
                yield offer | own | (what if isinstance(what, dict) else {"price": what})


def current(region, service="ec2"):
    """On-demand prices in a region, as the shipped catalogue has them."""
    prices = {}
    for name in os.listdir(SOURCE + "/pricing/aws"):
        for offer in offers_of(f"{SOURCE}/pricing/aws/{name}"):
            if (offer["service"], offer["region"], offer["purchase"]) != (service, region, "on_demand"):
                continue
            if offer.get("current", True):
                prices[offer["instance"]] = float(offer["price"].removesuffix(" USD/h"))
    return prices


def rest_of(region, but):
    """Meters of what else Azure sells on demand in a region, as the shipped catalogue has them."""
    return [meter("Standard_" + offer["instance"].replace(" ", "_"), float(offer["price"].removesuffix(" USD/h")), region=region)
            for offer in offers_of(f"{SOURCE}/pricing/azure.json")
            if (offer["region"], offer["purchase"]) == (region, "on_demand") and offer["instance"] != but]


class Fetched(Update):
    def job(self, **cluster):
        with open(JOB, encoding="utf-8") as file:
            document = json.load(file)
        document.pop("cases", None)
        document["cluster"].pop("price", None)
        document["cluster"].update(cluster)
        path = os.path.join(self.folder, "job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def compute(self, job):
        done = self.feedrate("run", job, "--mean", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["result"]["cost"]["compute_usd"]

    def test_aws_is_billed_to_the_cent(self):
        prices = {**current("us-east-1"), "p3.2xlarge": 2.5}
        job = self.job(instance="p3.2xlarge", region="us-east-1")
        before = self.compute(job)
        pages = {"/ec2/us-east-1/index.json": Answer(aws_list(prices), tag='"a"')}
        with Server(pages) as server:
            done = self.update("--source", server.url + "/ec2/{region}/index.json", "--region",
                               "us-east-1", "--affects", job)
        self.assertIn("1 price changed, 0 new", done.stdout)
        self.assertIn("-18.3 %", done.stdout)
        self.assertIn("Of 1 scenario, 0 cost more and 1 less than before", done.stdout)
        self.assertAlmostEqual(self.compute(job) / before, 2.5 / 3.06, 9)
        self.assertEqual(self.left(), [])

    def test_sagemaker_is_billed_to_the_cent(self):
        prices = {**current("us-east-1", "sagemaker"), "g5.xlarge": 2.0}
        job = self.job(instance="ml.g5.xlarge", region="us-east-1")
        before = self.compute(job)
        pages = {"/us-east-1/of_us-east-1": Answer(aws_list(prices, offer="AmazonSageMaker"))}
        with Server(pages) as server:
            self.update("--source", server.url + "/{region}/of_{region}", "--region", "us-east-1")
        self.assertAlmostEqual(self.compute(job) / before, 2.0 / 1.4084, 3)

    def test_storage_is_billed_to_the_cent(self):
        rows = [("Storage", {"storageClass": "General Purpose", "volumeType": "Standard"}, "GB-Mo", 0.046),
                ("API Request", {"group": "S3-API-Tier1"}, "Requests", 0.000005),
                ("API Request", {"group": "S3-API-Tier2"}, "Requests", 0.0000008)]
        job = self.job(instance="p3.2xlarge", region="us-east-1")
        held = ["--set", "source.bill_storage=true", "--set", "source.storage_held=730 h"]

        def lines():
            result = json.loads(self.feedrate("run", job, "--mean", "--format", "json", *held).stdout)["result"]
            bill = {line["what"]: line["amount_usd"] for line in result["cost"]["lines"]}
            return {what: bill[what] for what in ("S3 STANDARD", "S3 GET")}

        before = lines()
        with Server({"/us-east-1": Answer(storage_list("AmazonS3", rows))}) as server:
            done = self.update("--source", server.url + "/{region}", "--region", "us-east-1", "--affects", job)
        self.assertIn("4 prices changed, 0 new, 1 confirmed", done.stdout)
        after = lines()
        for what, amount in after.items():
            self.assertAlmostEqual(amount / before[what], 2.0, 6, what)

    def test_a_region_that_is_asked_for_is_covered(self):
        job = self.job(instance="p3.2xlarge", region="mx-central-1")
        self.assertEqual(self.feedrate("run", job).returncode, 2)
        pages = {"/mx-central-1": Answer(aws_list({"p3.2xlarge": 4.0}, "mx-central-1"))}
        with Server(pages) as server:
            done = self.update("--source", server.url + "/{region}", "--region", "mx-central-1",
                               "--affects", job)
        self.assertIn("1 new", done.stdout)
        self.assertIn("could not be priced before", " ".join(done.stdout.split()))
        self.assertGreater(self.compute(job), 0)

    def test_skypilot_brings_spot_and_what_is_gone_is_named(self):
        prices = current("us-east-1")
        prices.pop("p3.16xlarge")
        rows = [(name, "us-east-1", "a", price, "") for name, price in prices.items()]
        rows += [("p3.2xlarge", "us-east-1", zone, prices["p3.2xlarge"], spot)
                 for zone, spot in (("b", 0.4), ("c", 0.8), ("d", 0.5))]
        pages = {"/vms.csv": Answer(sky_list(rows), headers={
            "Last-Modified": "Sat, 22 Nov 2025 10:00:00 GMT"})}
        # The shipped prices are of 2026-07: those of 2025 do not replace them.
        with Server(pages) as server:
            done = self.update("--source", server.url + "/vms.csv")
            self.assertIn("2025-11-22", done.stdout)
            self.assertIn("0 prices changed", done.stdout)
            self.assertIn("present source is newer", done.stdout)
            self.assertFalse(os.path.exists(self.own))
            done = self.update("--source", server.url + "/vms.csv", "--date", DATE)
        self.assertIn("p3.16xlarge in us-east-1 (ec2)", done.stdout)
        spot = [offer for offer in offers_of(self.own + "/aws/p3.json") if (offer["instance"], offer["region"], offer["purchase"])
                == ("p3.2xlarge", "us-east-1", "spot")]
        self.assertEqual([(one["price"], one["lowest"], one["highest"], one["zones"])
                          for one in spot], [("0.5 USD/h", "0.4 USD/h", "0.8 USD/h", 3)])

    def test_a_machine_with_spot_prices_alone_is_gone(self):
        prices = current("us-east-1")
        prices.pop("p3.16xlarge")
        rows = [(name, "us-east-1", "a", price, "") for name, price in prices.items()]
        # A region of which only spot prices are there has lost nothing.
        rows += [("p3.16xlarge", "us-east-1", "a", "", 9.0), ("p3.2xlarge", "us-west-2", "a", "", 1.0)]
        with Server({"/vms.csv": Answer(sky_list(rows))}) as server:
            done = self.update("--source", server.url + "/vms.csv", "--date", DATE, "--dry-run")
        self.assertIn("p3.16xlarge in us-east-1 (ec2)", done.stdout)
        self.assertNotIn("in us-west-2 (ec2)", done.stdout)

    def test_azure_page_by_page(self):
        sku = "Standard_ND96isr_H200_v5"
        second = "/prices?$skip=1"
        with Server({}) as server:
            server.answers["/prices"] = [Answer(azure_page([
                meter(sku, 90.0), meter(sku, 30.0, name="ND96isrH200v5 Low Priority"),
                meter(sku, 95.0, productName="Virtual Machines NDsr H200 v5 Series Windows"),
                meter(sku, 60.0, type="Reservation"),
                meter(sku, 91.0, effectiveStartDate="2027-01-01T00:00:00Z"),
                meter("Standard_D2_v3", 0.1), *rest_of("westus3", "ND96isr H200 v5")], server.url + second))]
            server.answers[second] = [Answer(azure_page([meter(sku, 40.0, name="ND96isrH200v5 Spot")]))]
            done = self.update("--source", server.url + "/prices", "--date", DATE)
        self.assertIn("84.8 USD/h", done.stdout)
        self.assertIn("90 USD/h", done.stdout)
        self.assertIn("1 price changed, 1 new", done.stdout)
        self.assertIn("40 USD/h", done.stdout)
        self.assertEqual(self.left(), [])

    def test_the_newest_of_all_pages(self):
        sku, second = "Standard_ND96isr_H200_v5", "/prices?$skip=1"
        old, new = (dict(effectiveStartDate=f"2026-0{month}-01T00:00:00Z") for month in (1, 9))
        for first, then in (([meter(sku, 95.0, **old), meter(sku, 96.0, **old)], [meter(sku, 90.0, **new)]),
                            ([meter(sku, 90.0, **new)], [meter(sku, 95.0, **old), meter(sku, 90.0, **new)])):
            shutil.rmtree(self.own, ignore_errors=True)
            with Server({}) as server:
                others = rest_of("westus3", "ND96isr H200 v5")
                server.answers["/prices"] = [Answer(azure_page(first + others, server.url + second))]
                server.answers[second] = [Answer(azure_page(then))]
                self.update("--source", server.url + "/prices", "--date", DATE, says="1 price changed, 0 new")
            self.assertEqual([offer["price"] for offer in offers_of(self.own + "/azure.json")
                              if (offer["instance"], offer["region"], offer["purchase"])
                              == ("ND96isr H200 v5", "westus3", "on_demand") and offer.get("current", True)],
                             ["90 USD/h"])

    def test_the_shipped_prices_stay(self):
        def shipped():
            return {name: os.stat(f"{SOURCE}/pricing/aws/{name}").st_mtime_ns
                    for name in os.listdir(SOURCE + "/pricing/aws")}

        before = shipped()
        own = Answer(b"instance,region,price\nml.p3.2xlarge,us-east-1,1.25\n")
        job = self.job(instance="ml.p3.2xlarge", region="us-east-1")
        was = self.compute(job)
        with Server({"/own.csv": own}) as server:
            there = ("--source", server.url + "/own.csv", "--date", DATE)
            self.update(*there, "--dry-run", says="nothing was written")
            self.assertFalse(os.path.exists(self.own))
            self.update(*there, says="prices of your own")
            self.assertTrue(os.path.isfile(self.own + "/services.json"))
            self.update(*there, says="0 prices changed")
        self.assertEqual(before, shipped())
        self.assertEqual(os.listdir(self.folder + "/feedrate"), ["pricing"])
        self.assertAlmostEqual(self.compute(job) / was, 1.25 / 3.825, 9)

    def test_csv_has_both_tables(self):
        own = Answer(b"instance,region,price\np3.2xlarge,us-east-1,1.53\n")
        job = self.job(instance="p3.2xlarge", region="us-east-1")
        with Server({"/own.csv": own}) as server:
            done = self.update("--source", server.url + "/own.csv", "--date", DATE, "--affects", job,
                               "--format", "csv")
        first, second = done.stdout.split("\n\n")
        self.assertEqual(len(first.splitlines()), 2)
        self.assertEqual(second.splitlines()[0], "scenario,cost before,now,change,bottleneck")

    def test_a_saved_page_is_imported(self):
        page = os.path.join(self.folder, "page.json")
        with open(page, "wb") as file:
            file.write(azure_page([meter("Standard_ND96isr_H200_v5", 90.0)], "https://prices.azure.com/b"))
        self.assertIn("--date YYYY-MM-DD", self.feedrate("catalog", "import", page).stderr)
        done = self.feedrate("catalog", "import", page, "--date", DATE, "--dry-run")
        self.assertIn("1 price changed", done.stdout)
        self.assertIn("one page of several", done.stdout)

    def test_in_euros(self):
        job = self.job(instance="p3.2xlarge", region="us-east-1")
        with open(job, encoding="utf-8") as file:
            document = json.load(file)
        document["currency"] = {"code": "EUR", "usd": 1.25, "date": "2026-11-01"}
        with open(job, "w", encoding="utf-8") as file:
            json.dump(document, file)
        own = Answer(b"instance,region,price\np3.2xlarge,us-east-1,6.12\n")
        with Server({"/own.csv": own}) as server:
            done = self.update("--source", server.url + "/own.csv", "--date", DATE, "--affects", job)
        self.assertRegex(done.stdout, r"job.json +\d+\.\d+ EUR +\d+\.\d+ EUR +\+\d+\.\d %  gpu")
        self.assertIn("1 costs more and 0 less", done.stdout)


class Refused(Update):
    """Bad input and broken servers: a reason, and everything as it was."""

    csv = b"instance,region,price\np3.2xlarge,us-east-1,1.25\n"

    def refused(self, answers, status, says, *flags, path="/list"):
        answers = answers if isinstance(answers, list) else [answers]
        with Server({path: answers}) as server:
            self.update("--source", server.url + path, "--date", DATE, *flags, status=status, says=says)
            return server.asked

    def test_flags(self):
        self.update("--source", "gopher", status=2, says="expected aws, sagemaker, s3, efs, fsx, azure, skypilot or a URL")
        self.update("--source", "aws", status=2, says="expected --region too")
        self.update("--source", "aws", "--region", "../etc", status=2, says="expected a region such as")
        self.update("--source", "ftp://127.0.0.1/x", status=2, says="expected a URL that starts with")
        self.environment.update(AWS_ACCESS_KEY_ID="AKIAIOSFODNN7EXAMPLE", AWS_SECRET_ACCESS_KEY="key")
        with Server({}) as server:
            self.environment["AWS_ENDPOINT_URL"] = server.url
            for source in ("s3://bucket/list", "S3://bucket/list"):
                self.update("--source", source, status=2, says="requests for prices are not signed")
            self.assertEqual(server.asked, [])
        self.update("--time-limit", "soon", status=2, says="--time-limit")
        self.update("--time-limit", "0 s", status=2, says="expected a time above 0")
        self.update("--affects", "/nowhere.json", status=2, says="/nowhere.json")
        self.assertEqual(self.left(), [])

    def test_http_is_for_this_machine(self):
        for host in ("example.com", "127.0.0.1.example.com", "localhost@example.com",
                     "example.com?@localhost", "example.com\\@localhost"):
            self.update("--source", f"http://{host}/list", status=2, says="expected an https URL")

    def test_answers(self):
        self.refused(Answer(b"", 404), 2, "404, no such object")
        self.refused(Answer(b"<html>", 200), 2, "InstanceType")
        self.refused(Answer(b"", 200), 2, "empty")
        self.refused(Answer(b'{"Items": 3, "BillingCurrency": "USD"}'), 2, "\"Items\"")
        self.refused(Answer(aws_list({"p3.2xlarge": 2.5})[:-40]), 2, "breaks off")
        self.refused(Answer(self.csv, length=False), 2, "does not state the size")
        self.refused(Answer(sky_list([("p3.2xlarge", "us-east-1", "a", 2.5, "")])), 2,
                     "expected a whole list")
        self.refused(Answer(b"instance,region,price\np3.3xlarge,us-east-1,1\n"), 2,
                     "expected an instance of the catalogue")
        for row, says in ((",us-east-1,1,", "/list:3: expected an instance, got none"),
                          ("p3.2xlarge,,1,", "/list:3: expected a region, got none"),
                          ("p3.2xlarge,us-east-1,,", "/list:3: expected a price or a spot price above 0 of p3.2xlarge"),
                          ("p3.2xlarge,us-east-1,0,0", "/list:3: expected a price or a spot price above 0")):
            own = f"instance,region,price,spot\np3.8xlarge,us-east-1,9,\n{row}\n"
            self.refused(Answer(own.encode()), 2, says)
        gpu = b"InstanceType,AcceleratorName,Price,SpotPrice,Region\n,A100,2.9,,us-central1\n"
        self.refused(Answer(gpu), 2, "priced without their GPUs")
        self.refused(Answer(self.csv), 2, "expected prices of eu-west-1", "--region", "eu-west-1")
        self.assertEqual(self.left(), [])

    def test_redirects_stay_in_their_scheme(self):
        self.refused(Answer(b"", 302, headers={"Location": "ftp://127.0.0.1:1/"}), 2, "another scheme",
                     "--allow-http")
        self.refused(Answer(b"", 302, headers={"Location": "/list"}), 2, "again and again", "--allow-http")

    def test_a_redirect_over_http_needs_trust(self):
        # Who listens at the user's own port could send the update anywhere.
        with Server({"/list": Answer(self.csv)}) as other:
            moved = Answer(b"", 302, headers={"Location": other.url + "/list"})
            self.refused(moved, 2, "another scheme than https")
            self.assertEqual(other.asked, [])
            self.refused(moved, 0, "1 price changed", "--allow-http")

    def test_azure_pages(self):
        with Server({}) as server:
            server.answers["/a"] = [Answer(azure_page([], server.url + "/b"))]
            server.answers["/b"] = [Answer(azure_page([], server.url + "/a"))]
            self.update("--source", server.url + "/a", status=2, says="round in a circle")
            server.answers["/a"] = [Answer(azure_page([], "http://127.0.0.1:1/b"))]
            self.update("--source", server.url + "/a", status=2, says="expected the next page on")
            sku = "Standard_ND96isr_H200_v5"
            for more, says in ((dict(currencyCode="EUR"), "in \"EUR\""),
                               (dict(unitOfMeasure="1/Month"), "1/Month"),
                               (dict(retailPrice="x"), "retailPrice"),
                               (dict(retailPrice=-1), "retailPrice")):
                server.answers["/a"] = [Answer(azure_page([meter(sku, 1.0, **more)]))]
                self.update("--source", server.url + "/a", "--date", DATE, status=2, says=says)
            server.answers["/a"] = [Answer(azure_page([meter(sku, 1.0), meter(sku, 2.0)]))]
            self.update("--source", server.url + "/a", "--date", DATE, status=2, says="expected one price")
            # On the same day, on two pages.
            server.answers["/a"] = [Answer(azure_page([meter(sku, 1.0)], server.url + "/b"), tag='"a"')]
            server.answers["/b"] = [Answer(azure_page([meter(sku, 2.0)]), tag='"b"')]
            self.update("--source", server.url + "/a", "--date", DATE, status=2,
                        says="/a: expected one price for ND96isr H200 v5 in westus3, got 1 USD/h and 2 USD/h")
            self.assertEqual(self.left(), [])

    def test_a_server_that_fails_is_asked_again(self):
        with Server({"/list": [Answer(b"", 500), Answer(b"", 503), Answer(self.csv)]}) as server:
            self.update("--source", server.url + "/list", "--date", DATE, says="1 price changed")
            self.assertEqual(len(server.asked), 3)
        shutil.rmtree(self.own)
        self.assertEqual(len(self.refused(Answer(b"", 500), 3, "500")), 3)

    def test_time_is_limited(self):
        self.refused(Answer(self.csv * 1000, slow=True), 3, "time limit", "--time-limit", "1 s")

    def test_all_lists_or_none(self):
        with Server({"/good": Answer(self.csv), "/bad": Answer(b"", 404)}) as server:
            self.update("--source", server.url + "/good", "--source", server.url + "/bad", "--date", DATE,
                        status=2, says="404")


class GoneOnWith(Update):
    """What was interrupted is gone on with, as long as the list is the same."""

    whole = aws_list({**current("us-east-1"), "p3.2xlarge": 2.5})
    other = aws_list({**current("us-east-1"), "p3.2xlarge": 2.4})

    def ranges(self, server):
        return [headers.get("Range") for _, headers in server.asked]

    def test_within_one_update(self):
        half = len(self.whole) // 2
        answers = [Answer(self.whole, tag='"a"', cut=half), Answer(self.whole, tag='"a"')]
        with Server({"/list": answers}) as server:
            self.update("--source", server.url + "/list", says="2.5 USD/h")
            self.assertEqual(self.ranges(server), [None, f"bytes={half}-"])

    def test_by_the_next_update(self):
        half = len(self.whole) // 2
        for kill in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(kill):
                shutil.rmtree(self.own, ignore_errors=True)
                answers = [Answer(self.whole, tag='"a"', slow=True), Answer(self.whole, tag='"a"')]
                with Server({"/list": answers}) as server:
                    source = ("--source", server.url + "/list")
                    running = subprocess.Popen(
                        [PROGRAM, "catalog", "update", *source], stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True, cwd=SOURCE, env=self.environment,
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                    until = time.monotonic() + 20
                    while time.monotonic() < until and not any(
                            os.path.getsize(f"{self.own}.lists/{name}") == half for name in self.left()):
                        time.sleep(0.05)
                    running.send_signal(kill)
                    out, err = running.communicate(timeout=20)
                    if kill == signal.SIGINT:
                        self.assertEqual(running.returncode, 3, err)
                        self.assertIn("goes on with what came", err)
                    self.assertEqual(out, "")
                    self.assertFalse(os.path.exists(self.own))
                    self.update(*source, says="2.5 USD/h")
                    self.assertEqual(self.ranges(server), [None, f"bytes={half}-"])
                    self.assertEqual(server.asked[1][1]["If-Range"], '"a"')
                self.assertEqual(self.left(), [])

    def test_another_state_comes_afresh(self):
        half = len(self.whole) // 2
        for now in (Answer(self.other, tag='"b"'),                # 200, as If-Range asks for
                    Answer(self.other, tag='"b"', ranges=False)):  # knows no ranges
            shutil.rmtree(self.own, ignore_errors=True)
            with Server({"/list": [Answer(self.whole, tag='"a"', cut=half), now]}) as server:
                self.update("--source", server.url + "/list", says="2.4 USD/h")

    def test_parts_of_two_lists_are_never_mixed(self):
        half = len(self.whole) // 2
        # It ignores If-Range and sends the end of another list.
        wrong = Answer(self.other[half:], 206, tag='"b"', headers={
            "Content-Range": f"bytes {half}-{len(self.other) - 1}/{len(self.other)}"})
        answers = [Answer(self.whole, tag='"a"', cut=half), wrong, Answer(self.other, tag='"b"')]
        with Server({"/list": answers}) as server:
            self.update("--source", server.url + "/list", says="2.4 USD/h")
            self.assertEqual(self.ranges(server), [None, f"bytes={half}-", None])

    def test_without_a_name_for_its_state_nothing_is_gone_on_with(self):
        half = len(self.whole) // 2
        for tag in (None, 'W/"a"'):
            shutil.rmtree(self.own, ignore_errors=True)
            answers = [Answer(self.whole, tag=tag, cut=half), Answer(self.whole, tag=tag)]
            with Server({"/list": answers}) as server:
                self.update("--source", server.url + "/list", says="2.5 USD/h")
                self.assertEqual(self.ranges(server), [None, None])

    def test_what_is_there_already_is_not_fetched_again(self):
        with Server({"/list": Answer(self.whole, tag='"a"'), "/bad": [Answer(b"", 404), Answer(b"", 404)]}) as server:
            source = ("--source", server.url + "/list")
            self.update(*source, "--source", server.url + "/bad", status=2, says="404")
            self.assertEqual(len(self.left()), 2, "the list and its tag")
            self.update(*source, says="2.5 USD/h")
            self.assertEqual(self.ranges(server)[2], f"bytes={len(self.whole)}-")

    def test_what_is_there_already_keeps_its_date(self):
        rows = [(name, "us-east-1", "a", price, "") for name, price in current("us-east-1").items()]
        whole = sky_list(rows)
        dated = Answer(whole, tag='"a"', headers={"Last-Modified": "Sat, 22 Nov 2025 10:00:00 GMT"})
        # The second answer, that nothing is missing, has no date.
        with Server({"/list": [dated, Answer(whole, tag='"a"')]}) as server:
            source = ("--source", server.url + "/list")
            self.update(*source, "--source", server.url + "/bad", status=2, says="404")
            self.update(*source, says="2025-11-22")
            self.assertEqual(self.ranges(server)[2], f"bytes={len(whole)}-")

    def cut(self, half):
        """A server's port and the update of which half has come; then the server is gone."""
        gone = [Answer(self.whole, tag='"a"', cut=half), Answer(b"", 500)]
        with Server({"/list": gone}) as server:
            source = ("--source", server.url + "/list")
            self.update(*source, status=3)
            self.assertEqual(len(self.left()), 2, "a part and its tag")
            return server.server.server_address[1], source

    def test_a_server_that_is_out_of_reach(self):
        half = len(self.whole) // 2
        port, source = self.cut(half)
        self.update(*source, status=2, says="no connection")
        self.assertEqual(len(self.left()), 2)
        with Server({"/list": Answer(self.whole, tag='"a"')}, port) as server:
            self.update(*source, says="2.5 USD/h")
            self.assertEqual(self.ranges(server), [f"bytes={half}-"])
        self.assertEqual(self.left(), [])

    def test_a_server_that_comes_back_is_asked_again(self):
        half = len(self.whole) // 2
        port, source = self.cut(half)
        back = []
        later = threading.Timer(1.5, lambda: back.append(Server({"/list": Answer(self.whole, tag='"a"')}, port)))
        later.start()
        self.update(*source, says="2.5 USD/h")
        later.join()
        with back[0] as server:
            self.assertEqual(self.ranges(server), [f"bytes={half}-"])

    def test_an_answer_that_rules_the_list_out(self):
        port, source = self.cut(len(self.whole) // 2)
        with Server({"/list": Answer(b"", 404)}, port):
            self.update(*source, status=2, says="404")
        self.assertEqual(self.left(), [])

    def test_killed_at_any_moment(self):
        """The own folder is not there, or whole; the next update sweeps up."""
        own = Answer(b"instance,region,price\np3.2xlarge,us-east-1,1.25\n")
        whole = sum(len(files) for _, _, files in os.walk(SOURCE + "/pricing"))
        made = 0
        with Server({"/own.csv": own}) as server:
            source = ("--source", server.url + "/own.csv", "--date", DATE)
            started = time.monotonic()
            self.update(*source)
            took = time.monotonic() - started
            i = 0
            while i < 24 or (made == 0 and i < 200):  # longer where the machine is slower by now
                shutil.rmtree(self.own, ignore_errors=True)
                running = subprocess.Popen([PROGRAM, "catalog", "update", *source], cwd=SOURCE,
                                           env=self.environment, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(took * (0.3 + 0.8 * i / 24))
                running.kill()
                running.wait()
                i += 1
                if os.path.exists(self.own):
                    made += 1
                    self.assertEqual(sum(len(files) for _, _, files in os.walk(self.own)), whole)
                    with open(self.own + "/aws/p3.json", encoding="utf-8") as file:
                        self.assertIn("1.25 USD/h", file.read())
            self.assertGreater(made, 0)
            self.update(*source)
            self.update(*source)
        self.assertEqual(os.listdir(self.folder + "/feedrate"), ["pricing"])

    def test_a_full_disk(self):
        with Server({"/list": Answer(self.whole, tag='"a"')}) as server:
            script = f"trap '' XFSZ; ulimit -f 8; exec '{PROGRAM}' catalog update --source {server.url}/list"
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=SOURCE,
                                  env=self.environment, timeout=60, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("cannot be written", done.stderr)
            self.assertEqual(len(server.asked), 1)
            self.assertFalse(os.path.exists(self.own))


@unittest.skipUnless(shutil.which("openssl"), "no openssl")
class Trusted(Update):
    def test_certificates(self):
        key, certificate = (os.path.join(self.folder, name) for name in ("key.pem", "cert.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        own = Answer(b"instance,region,price\np3.2xlarge,us-east-1,1.25\n")
        with Server({"/list": own}) as plain, Server({"/list": own}) as server:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
            port = server.server.server_address[1]
            source = ("--source", f"https://localhost:{port}/list", "--date", DATE)
            self.update(*source, status=2, says="certificate is not trusted")
            self.environment["SSL_CERT_FILE"] = certificate
            server.answers["/list"] = [Answer(b"", 302, headers={"Location": plain.url + "/list"}), own]
            self.update(*source, status=2, says="another scheme")
            self.assertEqual(plain.asked, [])
            self.update(*source, says="1 price changed")
            plain.answers["/list"] = [Answer(b"", 302, headers={"Location": source[1]})]
            self.update("--source", plain.url + "/list", "--date", DATE, says="0 prices changed")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([PROGRAM, "catalog", "update", "--source", "http://127.0.0.1:1/"],
                              capture_output=True, text=True, cwd=SOURCE, check=False,
                              env={**os.environ, "XDG_CONFIG_HOME": empty})
    if "no libcurl" in done.stderr or "needs the program feedrate-probes" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=1)
