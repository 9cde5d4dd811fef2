package dev.colony.cli;

import dev.colony.cli.ColonyProcess.Finished;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/** A command line run in this JVM, its input and output kept from those of the test. */
public final class CommandLineRun {

  static {
    // The log has its stream before it is replaced: see FirstOutAppender.
    LoggerFactory.getILoggerFactory();
  }

  private CommandLineRun() {}

  public static Finished of(String... arguments) {
    return withInput(new byte[0], arguments);
  }

  public static Finished withInput(byte[] input, String... arguments) {
    InputStream in = System.in;
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setIn(new ByteArrayInputStream(input));
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      int status = ColonyCommand.execute(arguments);
      return new Finished(
          status,
          printed.toString(StandardCharsets.UTF_8),
          ColonyProcess.withoutLateRedis(said.toString(StandardCharsets.UTF_8)));
    } finally {
      System.setIn(in);
      System.setOut(out);
      System.setErr(err);
    }
  }
}
