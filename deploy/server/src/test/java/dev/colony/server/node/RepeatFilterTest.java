package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colony.server.AuditLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which lines of a log are left out. */
class RepeatFilterTest {

  private static final int MANY = 1_000;

  private final AtomicLong clock = new AtomicLong();
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final Logger one = context.getLogger("one");
  private final Logger other = context.getLogger("other");

  RepeatFilterTest() {
    written.setContext(context);
    written.start();
    context.addTurboFilter(new RepeatFilter(clock::get));
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(written);
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  private List<String> of(Logger logger) {
    return written.list.stream()
        .filter(event -> event.getLoggerName().equals(logger.getName()))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private List<String> told() {
    return of(context.getLogger(RepeatFilter.class));
  }

  @Test
  void equalLinesAreLeftOutAfterSomeAndOthersAreNot() {
    for (int i = 0; i < MANY; i++) {
      one.info("agent {} is passive", "a");
      one.info("run {} has ended", i);
      one.debug("nothing");
    }
    other.info("agent {} is passive", "a");
    assertThat(of(one)).filteredOn("agent a is passive"::equals).hasSize(RepeatFilter.EQUAL);
    assertThat(of(one)).filteredOn(line -> line.startsWith("run ")).hasSize(MANY);
    assertThat(of(other)).hasSize(1);
    assertThat(told())
        .singleElement()
        .asString()
        .contains("of one like this are left out", "agent a is passive");
  }

  @Test
  void linesOfTheAuditLogAreAllWritten() {
    Logger audit = context.getLogger(AuditLog.NAME);
    for (int i = 0; i < MANY; i++) {
      audit.atInfo().addKeyValue("who", "key ci").log("{} {}", "stopAgent", 202);
      audit.info("{} {}", "stopAgent", 202);
    }
    assertThat(of(audit)).hasSize(2 * MANY);
    assertThat(told()).isEmpty();
  }

  @Test
  void problemsOfOneLoggerAreBoundedWhateverTheySay() {
    for (int i = 0; i < MANY; i++) {
      one.warn("client 192.0.2.1:{} sent nonsense", i);
    }
    other.error("another");
    assertThat(of(one)).hasSize(RepeatFilter.PROBLEMS);
    assertThat(of(other)).hasSize(1);
  }

  @Test
  void whatWasLeftOutIsToldWithTheFirstLineAfterItsMinuteWhichIsWritten() {
    for (int i = 0; i < MANY; i++) {
      one.error("Accept error", new IllegalStateException("too many open files"));
    }
    clock.addAndGet(RepeatFilter.WINDOW.toNanos());
    one.error("Accept error", new IllegalStateException("too many open files"));
    assertThat(of(one)).hasSize(RepeatFilter.EQUAL + 1);
    assertThat(told().getLast()).contains("{one=" + (MANY - RepeatFilter.EQUAL) + "}");
  }
}
