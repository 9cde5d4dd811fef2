package dev.colony.server.access;

import dev.colony.blackboard.value.Text;
import dev.colony.server.InvalidConfigurationException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a file, as it stands now. What is mounted into a container changes by the swap of a
 * symbolic link, which no time stamp shows reliably, so the content itself is read again and again.
 * A file that is away or wrong changes nothing: the keys of before are good until a right one is
 * there. Thread-safe.
 */
public final class KeysFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KeysFile.class);

  /** Of a file of keys. */
  public static final int MOST_BYTES = 1 << 20;

  private final Path file;
  private final ScheduledExecutorService timer;
  private volatile KeyRing ring;
  private String seen;
  private String complaint = "";

  private KeysFile(Path file, String content, KeyRing ring) {
    this.file = file;
    this.seen = content;
    this.ring = ring;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("keys-file").factory());
  }

  /**
   * Reads it, and again after each pause.
   *
   * @throws InvalidConfigurationException if it cannot be read now, or is wrong
   */
  public static KeysFile open(Path file, Duration reload) {
    try {
      String content = content(file);
      KeysFile opened = new KeysFile(file, content, KeyRing.parse(content));
      opened.timer.scheduleWithFixedDelay(
          opened::look, reload.toMillis(), reload.toMillis(), TimeUnit.MILLISECONDS);
      return opened;
    } catch (IOException | IllegalArgumentException bad) {
      throw new InvalidConfigurationException(
          "colony.access.keys-file: %s: %s; ./colony key makes keys".formatted(file, words(bad)),
          bad);
    }
  }

  /** The holder of a key; empty if the key is not in the file. */
  public Optional<Principal> holder(String key) {
    return ring.holder(key);
  }

  private synchronized void look() {
    try {
      String content = content(file);
      if (!content.equals(seen)) {
        ring = KeyRing.parse(content);
        seen = content;
        LOG.info("{} now holds {} keys", file, ring.keys().size());
      }
      complaint = "";
    } catch (IOException | RuntimeException bad) {
      String words = words(bad);
      if (!words.equals(complaint)) {
        complaint = words;
        LOG.warn("{} is not taken, the keys of before stay good: {}", file, words);
      }
    }
  }

  private static String content(Path file) throws IOException {
    return Text.ofFile(file, MOST_BYTES);
  }

  private static String words(Exception bad) {
    return switch (bad) {
      case NoSuchFileException none -> "cannot be read: there is no such file";
      case IOException unreadable -> "cannot be read (" + unreadable + ")";
      default -> bad.getMessage();
    };
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
