package dev.colony.server.node;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import dev.colony.server.AuditLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Marker;
import org.slf4j.helpers.MessageFormatter;

/**
 * Leaves out lines of a log that repeat: so many equal ones of one logger are written within a
 * minute, and so many warnings and errors of one logger whatever they say. The log tells when lines
 * begin to be left out, and how many were, with the first line after that minute. So what a client
 * has a process log does not grow with what the client sends. Lines of the {@link AuditLog} are all
 * written. Thread-safe.
 */
public final class RepeatFilter extends TurboFilter {

  /** Equal lines of one logger within a window. */
  static final int EQUAL = 5;

  /** Warnings and errors of one logger within a window. */
  static final int PROBLEMS = 300;

  static final Duration WINDOW = Duration.ofMinutes(1);

  /** Different lines that are counted; further ones count as one, of their logger. */
  private static final int COUNTED = 2_000;

  private final LongSupplier nanos;
  private final Map<String, Integer> counts = new HashMap<>();
  private final Map<String, Integer> leftOut = new TreeMap<>();
  private final ThreadLocal<Boolean> telling = ThreadLocal.withInitial(() -> false);
  private long began;

  public RepeatFilter() {
    this(System::nanoTime);
  }

  /**
   * @param nanos a clock that never goes back
   */
  RepeatFilter(LongSupplier nanos) {
    this.nanos = nanos;
    this.began = nanos.getAsLong();
  }

  @Override
  public FilterReply decide(
      Marker marker, Logger logger, Level level, String format, Object[] values, Throwable cause) {
    if (format == null
        || telling.get()
        || logger.getName().equals(AuditLog.NAME)
        || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
      return FilterReply.NEUTRAL;
    }
    String line = line(level, format, values, cause);
    String summary;
    boolean first;
    FilterReply reply;
    synchronized (this) {
      summary = windowEnded();
      boolean write = admitted(logger.getName(), level, line);
      reply = write ? FilterReply.NEUTRAL : FilterReply.DENY;
      first = !write && leftOut.merge(logger.getName(), 1, Integer::sum) == 1;
    }
    if (!summary.isEmpty()) {
      tell(logger, "lines left out of the minute before, by their loggers: " + summary);
    }
    if (first) {
      tell(
          logger,
          "further lines of %s like this are left out for up to a minute: %s"
              .formatted(logger.getName(), line.lines().findFirst().orElse("")));
    }
    return reply;
  }

  private static String line(Level level, String format, Object[] values, Throwable cause) {
    String text = level + " " + MessageFormatter.basicArrayFormat(format, values);
    return cause == null ? text : text + "\n" + cause;
  }

  private boolean admitted(String logger, Level level, String line) {
    boolean problem = level.isGreaterOrEqual(Level.WARN);
    return count(logger + "\n" + line, logger) <= EQUAL
        && (!problem || count(logger, logger) <= PROBLEMS);
  }

  private int count(String key, String orElse) {
    boolean room = counts.size() < COUNTED || counts.containsKey(key);
    return counts.merge(room ? key : "\n" + orElse, 1, Integer::sum);
  }

  private String windowEnded() {
    long now = nanos.getAsLong();
    if (now - began < WINDOW.toNanos()) {
      return "";
    }
    String summary = leftOut.isEmpty() ? "" : leftOut.toString();
    began = now;
    counts.clear();
    leftOut.clear();
    return summary;
  }

  private void tell(Logger logger, String words) {
    telling.set(true);
    try {
      logger.getLoggerContext().getLogger(RepeatFilter.class).warn(words);
    } finally {
      telling.remove();
    }
  }
}
