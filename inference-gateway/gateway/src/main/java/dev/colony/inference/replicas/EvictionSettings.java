package dev.colony.inference.replicas;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.Locale;

/**
 * How replicas' caches are told what is wanted; {@code reference.conf} says what each does.
 *
 * @param touchesPerSecond at each replica
 * @param maxWaiting orders that wait for each replica
 * @param lockTouchInterval how long a locked page may go unused before it is touched
 */
public record EvictionSettings(
    Control control, double touchesPerSecond, int maxWaiting, Duration lockTouchInterval) {

  /** How they are told. */
  public enum Control {
    /**
     * By hints, where a server says that it takes them; by touches, where it is asked in vLLM's
     * dialect; else not at all.
     */
    AUTO,
    HINTS,
    TOUCHES,
    NONE
  }

  static EvictionSettings read(String path, Config c) {
    double rate = c.getDouble("touches-per-second");
    if (!(rate > 0 && rate <= 1000)) {
      throw new IllegalArgumentException(
          "%s.touches-per-second = %s is out of range, allowed is above 0 to 1000"
              .formatted(path, rate));
    }
    return new EvictionSettings(
        control(path, c.getString("control")),
        rate,
        within(path + ".max-waiting", c.getInt("max-waiting"), 1, 100_000),
        within(
            path + ".lock-touch-interval",
            c.getDuration("lock-touch-interval"),
            Duration.ofMillis(100),
            Duration.ofHours(1)));
  }

  private static Control control(String path, String word) {
    for (Control control : Control.values()) {
      if (control.name().toLowerCase(Locale.ROOT).equals(word)) {
        return control;
      }
    }
    throw new IllegalArgumentException(
        "%s.control = %s is none, allowed is one of auto, hints, touches, none"
            .formatted(path, word));
  }
}
