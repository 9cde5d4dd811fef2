package dev.colony.blackboard;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets tests that wait look after a millisecond, then after two, and at least every 20: what they
 * wait for has mostly come by then, and Awaitility's own tenth of a second adds up to minutes. They
 * give up after a minute, not after Awaitility's 10 s: a busy machine takes that for what takes a
 * moment elsewhere.
 */
public final class PromptAwaiting implements LauncherSessionListener {

  private static final Duration FIRST = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofMillis(20);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(PATIENCE);
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(PromptAwaiting::next, FIRST));
  }

  private static Duration next(Duration last) {
    Duration doubled = last.multipliedBy(2);
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }
}
