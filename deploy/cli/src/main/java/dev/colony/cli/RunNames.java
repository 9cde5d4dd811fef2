package dev.colony.cli;

import dev.colony.agent.RunId;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Run ids short enough to type: {@code r-} and 8 hexadecimal digits. Begins no log: a command names
 * its run before it says where it logs.
 */
public final class RunNames {

  private static final SecureRandom RANDOM = new SecureRandom();

  private RunNames() {}

  public static RunId next() {
    return new RunId("r-" + HexFormat.of().toHexDigits(RANDOM.nextInt()));
  }
}
