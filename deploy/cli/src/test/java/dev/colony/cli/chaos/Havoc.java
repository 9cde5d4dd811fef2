package dev.colony.cli.chaos;

import dev.colony.cli.terminal.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Does to a cluster what a schedule says, and brings the victim back each time: one node at a time,
 * so that the others are a majority.
 */
final class Havoc {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final ChaosCluster cluster;
  private final List<Fault> done = new CopyOnWriteArrayList<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final Set<String> restored = ConcurrentHashMap.newKeySet();

  /** What a node that dies alone remembers is lost with it: no node fails while Redis goes back. */
  private final ReadWriteLock nodesUp = new ReentrantReadWriteLock();

  Havoc(ChaosCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Does faults one after the other until the time is over, and on a machine on which that takes
   * longer until so many are done; the last one is brought to its end.
   */
  CompletableFuture<Void> run(Iterator<Fault> faults, int least, Duration length) {
    long end = System.nanoTime() + length.toNanos();
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            for (int count = 0; count < least || System.nanoTime() < end; count++) {
              Fault fault = faults.next();
              pause(fault.after());
              System.out.println(fault);
              perform(fault);
              done.add(fault);
            }
            over.complete(null);
          } catch (RuntimeException failure) {
            over.completeExceptionally(failure);
          }
        });
    return over;
  }

  /** How often each kind of fault was done. */
  Map<Fault.Kind, Integer> done() {
    Map<Fault.Kind, Integer> counts = new TreeMap<>();
    done.forEach(fault -> counts.merge(fault.kind(), 1, Integer::sum));
    return counts;
  }

  /** What the victims did that they must not: a node that goes on although it was removed. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** The agents whose events Redis had lost, and were given back. */
  Set<String> restored() {
    return Set.copyOf(restored);
  }

  private void perform(Fault fault) {
    Lock lock =
        switch (fault.kind()) {
          case KILL, FREEZE, TERMINATE -> nodesUp.readLock();
          case ROLL_BACK_REDIS -> nodesUp.writeLock();
          case CUT_REDIS, KILL_REDIS -> new ReentrantLock();
        };
    lock.lock();
    try {
      performAlone(fault);
    } finally {
      lock.unlock();
    }
  }

  private void performAlone(Fault fault) {
    switch (fault.kind()) {
      case KILL -> {
        String victim = name(fault);
        cluster.nodes().kill(victim);
        pause(fault.lasts());
        bringBack(victim);
      }
      case FREEZE -> {
        String victim = name(fault);
        signal("STOP", victim);
        pause(fault.lasts());
        signal("CONT", victim);
        awaitEnd(victim, "was frozen until the others had removed it");
        bringBack(victim);
      }
      case TERMINATE -> {
        String victim = name(fault);
        cluster.nodes().terminate(victim);
        awaitEnd(victim, "was told to leave");
        pause(fault.lasts());
        bringBack(victim);
      }
      case CUT_REDIS -> {
        cluster.gate().cut();
        pause(fault.lasts());
        cluster.gate().mend();
      }
      case KILL_REDIS -> {
        ProcessHandle redis = ProcessHandle.of(cluster.redis().pid()).orElseThrow();
        redis.destroyForcibly();
        redis.onExit().join();
        pause(fault.lasts());
        cluster.reviveRedis();
      }
      case ROLL_BACK_REDIS -> {
        long length = cluster.redisFile();
        pause(fault.lasts());
        cluster.rollBackRedis(length);
        restored.addAll(cluster.restoreAll(PATIENCE));
      }
    }
  }

  private String name(Fault fault) {
    return cluster.nodes().names().get(fault.node());
  }

  /** A node that does not go down by itself is a fault of ours, and is killed for the rest. */
  private void awaitEnd(String node, String why) {
    try {
      cluster.nodes().process(node).onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      complaints.add(node + " " + why + " and still runs " + PATIENCE.toSeconds() + " s later");
      cluster.nodes().kill(node);
    } catch (InterruptedException | java.util.concurrent.ExecutionException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** As often as it takes: a node that finds no Redis at its start gives up. */
  private void bringBack(String node) {
    long deadline = System.nanoTime() + PATIENCE.multipliedBy(2).toNanos();
    while (true) {
      try {
        cluster.nodes().restart(node);
        cluster.nodes().awaitReady(node);
        return;
      } catch (CommandFailure refused) {
        cluster.nodes().kill(node);
        if (System.nanoTime() > deadline) {
          throw refused;
        }
        System.out.println(node + " starts again: " + refused.getMessage());
      }
    }
  }

  void signal(String name, String node) {
    long pid = cluster.nodes().process(node).pid();
    try {
      int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + name + " " + pid + ": " + status);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static void pause(Duration length) {
    try {
      TimeUnit.NANOSECONDS.sleep(length.toNanos());
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
