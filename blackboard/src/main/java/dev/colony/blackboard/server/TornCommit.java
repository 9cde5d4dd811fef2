package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.server.ServerStart.RedisBinary;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a crash leaves at the end of an append-only file: the beginning of a command, or of a
 * commit.
 *
 * <p>A script's changes stand there between MULTI and EXEC. A server that is told to load a
 * truncated file cuts off a command that is torn at the end and does not carry out what stands
 * after the MULTI. But it leaves the MULTI and the whole commands after it in the file (seen with
 * Redis 6.2 and 7.0; Valkey has mended it in pull request 4342 of August 2026), and the next commit
 * is written behind them: so the start after that one carries out the half together with the other
 * commit. And it takes a length that one bad byte has made too large for a torn end, and cuts off
 * all that the length swallows. Therefore the server is told to load whole files alone, and what is
 * torn is cut off here, with a copy. Anything else that is wrong with a file is for a person to
 * decide.
 */
final class TornCommit {

  /** What the check says of a file that is good up to a place. */
  private static final Pattern GOOD_UP_TO =
      Pattern.compile("size=(\\d+), ok_up_to=(\\d+),.*diff=(\\d+)");

  private static final int MOST_DIGITS = 9;
  private static final int LONGEST_NAME = 32;

  /** How a file ends. */
  sealed interface End {
    /** With a whole command or commit, or the check cannot tell where not: the server judges it. */
    record Whole() implements End {}

    /**
     * With what a crash has torn, which is cut off.
     *
     * @param said in one line what was cut off, and where it is kept
     */
    record CutOff(String said) implements End {}

    /** Not as a crash leaves it; nothing is changed. */
    record Damaged(Path file, long at) implements End {}
  }

  /** Bytes that no command is made of. */
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private TornCommit() {}

  /**
   * Reads the whole file, faster than the server loads it.
   *
   * @param file that no server has open
   * @param folder where the binary may be given another name, and where what is cut off is kept in
   *     {@code cut}
   * @throws IOException if the file cannot be read in that time, or no copy can be written
   */
  static End cutOff(RedisBinary binary, Path file, Path folder, Duration timeout)
      throws IOException {
    Matcher good = GOOD_UP_TO.matcher(check(binary, file, folder, timeout));
    if (!good.find() || good.group(3).equals("0")) {
      return new End.Whole();
    }
    long goodUpTo = Long.parseLong(good.group(2));
    if (!torn(file, goodUpTo)) {
      return new End.Damaged(file, goodUpTo);
    }
    Path kept = keep(file, goodUpTo, folder.resolve("cut"));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(goodUpTo);
      channel.force(true);
    }
    return new End.CutOff(
        "%s ended in the midst of a command: cut %s bytes at byte %d, kept in %s"
            .formatted(file, good.group(3), goodUpTo, kept));
  }

  private static Path keep(Path file, long from, Path folder) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path copy =
        folder.resolve("%s.%d.%d".formatted(file.getFileName(), from, System.currentTimeMillis()));
    Files.createFile(
        copy, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
        FileChannel out = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      long at = from;
      while (at < in.size()) {
        at += in.transferTo(at, in.size() - at, out);
      }
      out.force(true);
    }
    return copy;
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
        throw new IOException("that takes longer than %d s".formatted(timeout.toSeconds()));
      }
      return new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (InterruptedException interrupted) {
      check.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          Reason.INTERRUPTED, "interrupted while starting Redis", interrupted);
    }
  }

  /**
   * Whether all that stands from a place to the end is the beginning of one command, or of one
   * commit: a MULTI and whole commands, of which the last may be torn.
   */
  static boolean torn(Path file, long from) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        InputStream in = new BufferedInputStream(Channels.newInputStream(channel.position(from)))) {
      if (!command(in).equals("MULTI")) {
        return false;
      }
      while (true) {
        // A commit's commands have arguments: one without is its EXEC, or one that cannot be read.
        if (!command(in).isEmpty()) {
          return false;
        }
      }
    } catch (EOFException end) {
      return true;
    } catch (Malformed damaged) {
      return false;
    }
  }

  /** Passes over the next command; its name if it has no arguments, else empty. */
  private static String command(InputStream in) throws IOException, Malformed {
    int parts = number(in, '*');
    String name = "";
    for (int n = 0; n < parts; n++) {
      int length = number(in, '$');
      if (parts == 1 && length <= LONGEST_NAME) {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
          throw new EOFException();
        }
        name = new String(bytes, StandardCharsets.US_ASCII);
      } else {
        skip(in, length);
      }
      expect(in, '\r');
      expect(in, '\n');
    }
    if (parts == 0 || parts == 1 && name.isEmpty()) {
      throw new Malformed();
    }
    return name;
  }

  /**
   * Passes over an argument. One that the file ends in must hold no command: a wrong length
   * swallows the commands behind it, which were whole.
   */
  private static void skip(InputStream in, int length) throws IOException, Malformed {
    StringBuilder line = new StringBuilder();
    boolean afterHead = false;
    boolean holdsCommand = false;
    for (int n = 0; n < length; n++) {
      int c = in.read();
      if (c < 0) {
        if (holdsCommand) {
          throw new Malformed();
        }
        throw new EOFException();
      }
      if (c == '\n') {
        holdsCommand |= afterHead && isNumber(line, '$');
        afterHead = isNumber(line, '*');
        line = new StringBuilder();
      } else if (line.length() <= MOST_DIGITS + 2) {
        line.append((char) c);
      }
    }
  }

  /** Whether a line, without its line feed, is a number behind a character. */
  private static boolean isNumber(CharSequence line, char first) {
    int end = line.length() - 1;
    return end >= 2
        && end <= MOST_DIGITS + 1
        && line.charAt(0) == first
        && line.charAt(end) == '\r'
        && line.chars().skip(1).limit(end - 1L).allMatch(c -> c >= '0' && c <= '9');
  }

  private static int number(InputStream in, char first) throws IOException, Malformed {
    expect(in, first);
    int number = 0;
    for (int digits = 0; ; digits++) {
      int c = read(in);
      if (c == '\r' && digits > 0) {
        expect(in, '\n');
        return number;
      }
      if (c < '0' || c > '9' || digits == MOST_DIGITS) {
        throw new Malformed();
      }
      number = number * 10 + c - '0';
    }
  }

  private static void expect(InputStream in, char wanted) throws IOException, Malformed {
    if (read(in) != wanted) {
      throw new Malformed();
    }
  }

  private static int read(InputStream in) throws IOException {
    int c = in.read();
    if (c < 0) {
      throw new EOFException();
    }
    return c;
  }
}
