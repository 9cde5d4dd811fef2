package dev.colony.blackboard.payload;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A store of payloads in memory that a test holds up, has fail and looks into. */
public final class PayloadRig implements PayloadStore {

  public static final String LARGE = "x".repeat(PayloadVault.THRESHOLD);

  public final TreeMap<String, byte[]> kept = new TreeMap<>();
  public final AtomicInteger calls = new AtomicInteger();

  /** How many calls fail from now on. */
  public final AtomicInteger failing = new AtomicInteger();

  public volatile boolean refuses;
  public volatile Optional<CountDownLatch> held = Optional.empty();

  public PayloadVault vault(String name, Duration patience) {
    return new PayloadVault(Optional.of(this), name, patience);
  }

  /** One in which everything lies outside. */
  public PayloadVault vaultOfAll() {
    return new PayloadVault(Optional.of(this), "v", Duration.ofSeconds(20), 0);
  }

  /** The names of payloads without their folder, and without what was found unused. */
  public List<String> numbers() {
    return names().stream().map(name -> name.replaceAll(".*/([a-z0-9]+)-.*", "$1")).toList();
  }

  public synchronized List<String> names() {
    return kept.keySet().stream().filter(name -> !name.contains(".unused-")).toList();
  }

  public synchronized List<String> marks() {
    return kept.keySet().stream().filter(name -> name.contains(".unused-")).toList();
  }

  public synchronized void change(String name, byte[] bytes) {
    kept.put(name, bytes);
  }

  private void called() throws IOException {
    calls.incrementAndGet();
    held.ifPresent(latch -> {
      try {
        latch.await();
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    });
    if (refuses) {
      throw new RefusedException("the rig refuses");
    }
    if (failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IOException("the rig fails");
    }
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    called();
    synchronized (this) {
      kept.put(name, bytes.clone());
    }
  }

  @Override
  public Optional<byte[]> get(String name, int most) throws IOException {
    called();
    synchronized (this) {
      return Optional.ofNullable(kept.get(name))
          .map(bytes -> Arrays.copyOf(bytes, Math.min(most, bytes.length)));
    }
  }

  @Override
  public void delete(String name) throws IOException {
    called();
    synchronized (this) {
      kept.remove(name);
    }
  }

  @Override
  public List<String> list(String prefix, String after, int most) throws IOException {
    called();
    synchronized (this) {
      return new ArrayList<>(
          kept.tailMap(after, false).keySet().stream()
              .filter(name -> name.startsWith(prefix))
              .limit(most)
              .toList());
    }
  }

  @Override
  public String toString() {
    return "rig";
  }

  @Override
  public void close() {}
}
