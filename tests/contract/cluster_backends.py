"""Who fits a forest in pieces: processes of this machine, Dask workers, Spark executors.

Each backend writes a table to Parquet files, fits, predicts, and can have a worker killed with
SIGKILL in the middle of a step, once.
"""

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import killed_midway
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_tables import write_parts

import bayeswood
import bayeswood.spark
from bayeswood.distributed.backends import dask_futures, local_processes
from bayeswood.distributed.backends.local_processes import LocalProcesses
from bayeswood.spark import stages

NO_DASK = "Dask is not installed: pip install 'bayeswood[dask]'"
NO_SPARK = "Spark is not installed: pip install 'bayeswood[spark]'"
NO_JAVA = (
    "Spark needs a Java runtime, version 17 or newer: on Debian and Ubuntu "
    "'apt-get install openjdk-17-jre-headless', elsewhere see https://adoptium.net"
)
# Java compiles little and collects garbage with one thread: the runs are too short for more.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def sizes(n_rows):
    """Files of unequal size, one of a single row."""
    first = n_rows // 3
    return [first, 1, n_rows - first - 1]


def assert_killed(flag):
    """That a process was killed, as its flag says."""
    assert not killed_midway.is_running(int(flag.read_text(encoding="utf-8")))


class Embedded:
    """Processes of this machine."""

    name = "embedded"

    def __init__(self, folder):
        self.folder = folder
        self.n_tables = 0
        self.executor = LocalProcesses(2)

    def write(self, table, group_rows=150):
        """The files of a table."""
        self.n_tables += 1
        place = self.folder / f"table-{self.n_tables}"
        return write_parts(place, table, sizes(table.num_rows), group_rows)

    def fit(self, estimator, table, target, features=None, weight=None, limits=None, **how):
        """The estimator, fitted to a table."""
        return estimator.fit_parquet(
            self.write(table, **how),
            target,
            features,
            weight,
            n_jobs=2,
            executor=self.executor,
            spill_dir=self.folder / "spill",
            **(limits or {}),
        )

    def predict(self, model, table):
        """Predictions in the order of the rows."""
        out = self.folder / f"predicted-{self.n_tables}.parquet"
        model.predict_parquet(self.write(table), out, keep=["y"])
        return pq.read_table(out)

    @contextmanager
    def killing(self, kind, monkeypatch):
        """Within it, a worker is killed in the middle of its first task of a kind."""
        flag = self.folder / f"killed-{kind}"
        command = [sys.executable, killed_midway.__file__, kind, str(flag)]

        def begin(usual, **how):
            return subprocess.Popen(command, **how)

        known = SimpleNamespace(Popen=begin, PIPE=subprocess.PIPE)
        monkeypatch.setattr(local_processes, "subprocess", known)
        usual = self.executor
        with LocalProcesses(2) as self.executor:
            yield
        self.executor = usual
        assert_killed(flag)

    def close(self):
        """End the workers."""
        self.executor.close()


class DaskBackend(Embedded):
    """Dask workers, real processes, on the loopback address."""

    name = "dask"

    def __init__(self, folder):
        super().__init__(folder)
        distributed = pytest.importorskip("distributed", reason=NO_DASK)
        self.cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=str(folder),
            silence_logs="CRITICAL",
        )
        self.executor = distributed.Client(self.cluster)

    def predict(self, model, table):
        out = self.folder / f"predicted-{self.n_tables}"
        model.predict_parquet(self.write(table), out, keep=["y"], executor=self.executor)
        return pa.concat_tables([pq.read_table(part) for part in sorted(out.iterdir())])

    @contextmanager
    def killing(self, kind, monkeypatch):
        flag, run = self.folder / f"killed-{kind}", dask_futures.run_on_worker

        def run_or_die(plain, memory, name):
            killed_midway.die_at(kind, str(flag))
            return run(plain, memory, name)

        monkeypatch.setattr(dask_futures, "run_on_worker", run_or_die)
        yield
        assert_killed(flag)

    def close(self):
        self.executor.close()
        self.cluster.close()


class SparkBackend(Embedded):
    """Spark executors, real processes of a local cluster, on the loopback address."""

    name = "spark"

    def __init__(self, folder):
        super().__init__(folder)
        pyspark = pytest.importorskip("pyspark", reason=NO_SPARK)
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            pytest.skip(NO_JAVA)
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = sys.executable
        imported = [Path(bayeswood.__file__).parents[1], Path(__file__).parent]
        from pyspark.sql import SparkSession

        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": SHORT_LIVED,
            "spark.executor.extraJavaOptions": SHORT_LIVED,
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(map(str, imported)),
            "spark.local.dir": str(folder),
            "spark.log.level": "OFF",
            # What a dead executor held is asked for once more, not for a quarter of a minute.
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "1s",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "130",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local-cluster[2,1,512]").appName("bayeswood")
        self.session = builder.config(map=settings).getOrCreate()
        home = os.environ.get("SPARK_HOME", Path(pyspark.__file__).parent)
        self.work = Path(home) / "work" / self.session.sparkContext.applicationId

    def frame(self, table, group_rows=150, n_partitions=3):
        """A table as a data frame whose partitions have nothing to do with its order."""
        rows = table.append_column("row", pa.array(np.arange(table.num_rows)))
        frame = self.session.read.parquet(str(self.write(rows, group_rows)))
        return frame.repartition(n_partitions)

    def fit(self, estimator, table, target, features=None, weight=None, limits=None, **how):
        return bayeswood.spark.fit(
            self.frame(table, **how),
            estimator,
            target=target,
            row_id="row",
            features=features,
            sample_weight=weight,
            **(limits or {}),
        )

    def predict(self, model, table):
        predicted = bayeswood.spark.transform(self.frame(table), model)
        return predicted.orderBy("row").toArrow()

    @contextmanager
    def killing(self, kind, monkeypatch):
        flag, route, fit = self.folder / f"killed-{kind}", stages.route_rows, stages.fit_rows
        at_route, at_fit = {"route": (0, None), "fit": (None, 3)}[kind]

        def route_or_die(batches, **arguments):
            routed = route(killed_midway.in_another_order(batches, str(flag)), **arguments)
            return killed_midway.die_at_branch(routed, at_route, str(flag))

        def fit_or_die(batches, **arguments):
            return killed_midway.die_at_branch(fit(batches, **arguments), at_fit, str(flag))

        monkeypatch.setattr(stages, "route_rows", route_or_die)
        monkeypatch.setattr(stages, "fit_rows", fit_or_die)
        before = self.n_executors()
        yield
        assert_killed(flag)
        deadline = time.monotonic() + 60
        while self.n_executors() == before and time.monotonic() < deadline:
            time.sleep(0.2)
        assert self.n_executors() > before

    def n_executors(self):
        """Executors begun so far: one that was killed is replaced."""
        return sum(found.is_dir() for found in self.work.iterdir())

    def close(self):
        gateway = self.session.sparkContext._gateway
        self.session.stop()
        gateway.shutdown()
        shutil.rmtree(self.work, ignore_errors=True)
