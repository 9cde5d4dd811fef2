package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A commit of which a crash has left the beginning at the end of an append-only file.
 *
 * <p>A script's changes stand there between MULTI and EXEC. A server that finds a command torn at
 * the end cuts it off and does not carry out what stands after the MULTI. But it leaves the MULTI
 * and the whole commands after it in the file (seen with Redis 6.2 and 7.0; Valkey has mended it in
 * pull request 4342 of August 2026), and the next commit is written behind them: so the start after
 * that one carries out the half together with the other commit. Therefore all of the torn commit is
 * cut off here, before a server that had not ended in order is started again. Anything else that is
 * wrong with the file is left for the server to judge.
 */
final class TornCommit {

  private static final Logger LOG = LoggerFactory.getLogger(TornCommit.class);

  /** What the check says of a file that is good up to a place. */
  private static final Pattern GOOD_UP_TO =
      Pattern.compile("size=(\\d+), ok_up_to=(\\d+),.*diff=(\\d+)");

  private static final int LONGEST_LINE = 32;

  /** A line of the protocol that is none. */
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private TornCommit() {}

  /**
   * Reads the whole file, about as fast as the server loads it; where that takes longer than the
   * timeout, nothing is done.
   *
   * @param file that no server has open
   * @param folder where the binary may be given another name
   */
  static void cutOff(RedisBinary binary, Path file, Path folder, Duration timeout)
      throws IOException {
    Matcher good = GOOD_UP_TO.matcher(check(binary, file, folder, timeout));
    if (good.find() && !good.group(3).equals("0")) {
      long goodUpTo = Long.parseLong(good.group(2));
      if (endsInTransaction(file, goodUpTo)) {
        LOG.warn(
            "{} ends in the midst of a commit, of which {} bytes are there: they are cut off",
            file,
            good.group(3));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(goodUpTo);
          channel.force(true);
        }
      }
    }
  }

  /** The server's binary checks a file when it is called by this name. */
  private static String check(RedisBinary binary, Path file, Path folder, Duration timeout)
      throws IOException {
    Path checker = folder.resolve("redis-check-aof");
    Files.deleteIfExists(checker);
    Files.createSymbolicLink(checker, binary.path().toAbsolutePath());
    Process check =
        new ProcessBuilder(checker.toString(), file.toString()).redirectErrorStream(true).start();
    check.getOutputStream().close();
    try {
      if (!check.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        check.destroyForcibly();
      }
      return new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (InterruptedException interrupted) {
      check.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          Reason.INTERRUPTED, "interrupted while starting Redis", interrupted);
    }
  }

  /** Whether there is a MULTI at a place, and from there to the end nothing else is wrong. */
  static boolean endsInTransaction(Path file, long from) throws IOException {
    boolean begun = false;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(channel.position(from)));
      while (true) {
        String command = command(in);
        if (begun ? command.equals("EXEC") : !command.equals("MULTI")) {
          return false;
        }
        begun = true;
      }
    } catch (EOFException end) {
      return begun;
    } catch (Malformed other) {
      return false;
    }
  }

  /** The name of the next command, which is passed over. */
  private static String command(InputStream in) throws IOException, Malformed {
    int arguments = number(in, '*');
    String name = "";
    for (int n = 0; n < arguments; n++) {
      int length = number(in, '$');
      if (n == 0 && length <= LONGEST_LINE) {
        name = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
      } else {
        in.skipNBytes(length);
      }
      line(in, '\r');
    }
    return name;
  }

  private static int number(InputStream in, char type) throws IOException, Malformed {
    String digits = line(in, type);
    if (!digits.matches("\\d{1,9}")) {
      throw new Malformed();
    }
    return Integer.parseInt(digits);
  }

  /** What stands behind the first character of a line. */
  private static String line(InputStream in, char first) throws IOException, Malformed {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      line.append((char) c);
      if (line.charAt(0) != first || line.length() > LONGEST_LINE) {
        throw new Malformed();
      }
    }
    return line.substring(Math.min(1, line.length())).strip();
  }
}
