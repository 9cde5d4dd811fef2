package dev.colony.server;

import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What files say together, as they stand now. What is mounted into a container changes by the swap
 * of a symbolic link, which no time stamp shows reliably, so the content itself is read again and
 * again. Files that are away or wrong change nothing: what they said before is good until right
 * ones are there. Thread-safe.
 *
 * @param <T> what is made of their content
 */
public final class MountedFiles<T> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MountedFiles.class);

  /** Of each file. */
  public static final int MOST_BYTES = 1 << 20;

  private final Spec<T> spec;
  private final BiConsumer<T, T> changed;
  private final ScheduledExecutorService timer;
  private volatile Read<T> read;
  private String complaint = "";

  /**
   * Which files, and what is made of them.
   *
   * @param setting that names them, for refusals
   * @param advice how to get right ones
   * @param parser of their contents, in their order; throws an {@link IllegalArgumentException} of
   *     one line that holds no secret
   */
  public record Spec<T>(
      String setting, String advice, List<Path> files, Function<List<String>, T> parser) {

    public Spec {
      files = List.copyOf(files);
    }

    /**
     * Reads them once.
     *
     * @throws InvalidConfigurationException in one line, if they cannot be read or are wrong
     */
    public T read() {
      return first().value();
    }

    private Read<T> first() {
      try {
        List<String> contents = contents();
        return new Read<>(contents, parser.apply(contents));
      } catch (IOException | IllegalArgumentException bad) {
        throw new InvalidConfigurationException(
            "%s: %s; %s".formatted(setting, words(bad), advice), bad);
      }
    }

    private List<String> contents() throws IOException {
      List<String> contents = new ArrayList<>();
      for (Path file : files) {
        try {
          contents.add(Text.ofFile(file, MOST_BYTES));
        } catch (NoSuchFileException none) {
          throw new IOException(file + ": cannot be read: there is no such file", none);
        } catch (IOException | IllegalArgumentException unreadable) {
          throw new IOException(file + ": cannot be read (" + unreadable + ")", unreadable);
        }
      }
      return contents;
    }

    private String words(Exception bad) {
      return bad instanceof IOException
          ? bad.getMessage()
          : files.getFirst() + ": " + bad.getMessage();
    }
  }

  private record Read<T>(List<String> contents, T value) {}

  private MountedFiles(Spec<T> spec, BiConsumer<T, T> changed) {
    this.spec = spec;
    this.changed = changed;
    this.read = spec.first();
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("mounted-files").factory());
  }

  /**
   * Reads them, and again after each pause.
   *
   * @param changed is told what they said before, and what they say from here on
   * @throws InvalidConfigurationException if they cannot be read now, or are wrong
   */
  public static <T> MountedFiles<T> open(Spec<T> spec, Duration reload, BiConsumer<T, T> changed) {
    MountedFiles<T> opened = new MountedFiles<>(spec, changed);
    opened.timer.scheduleWithFixedDelay(
        opened::look, reload.toMillis(), reload.toMillis(), TimeUnit.MILLISECONDS);
    return opened;
  }

  /** What they say now. */
  public T value() {
    return read.value();
  }

  private synchronized void look() {
    try {
      List<String> contents = spec.contents();
      Read<T> before = read;
      if (!contents.equals(before.contents())) {
        read = new Read<>(contents, spec.parser().apply(contents));
        changed.accept(before.value(), read.value());
      }
      complaint = "";
    } catch (IOException | RuntimeException bad) {
      String words = spec.words(bad);
      if (!words.equals(complaint)) {
        complaint = words;
        LOG.warn("{} is not taken, what was read before stays good: {}", spec.setting(), words);
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
