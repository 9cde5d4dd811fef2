package dev.colony.cli;

import dev.colony.cli.ColonyProcess.Finished;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/** A command line run in this JVM, its input and output kept from those of the test. */
public final class CommandLineRun {

  /** As {@link Main} has it; kept, because the logging library forgets what is held nowhere. */
  private static final Logger LUCENE = Logger.getLogger("org.apache.lucene");

  static {
    LUCENE.setLevel(Level.SEVERE);
    // The log has its stream before it is replaced: see FirstOutAppender.
    LoggerFactory.getILoggerFactory();
  }

  private CommandLineRun() {}

  public static Finished of(String... arguments) {
    return withInput(new byte[0], arguments);
  }

  public static Finished withInput(byte[] input, String... arguments) {
    return new InThisJvm(input, arguments).run();
  }

  /**
   * The same in a thread of its own. A command that is run meanwhile has its own output, and until
   * it has ended that of this one too.
   */
  static RunningCommand start(String... arguments) {
    InThisJvm command = new InThisJvm(new byte[0], arguments);
    FutureTask<Finished> task = new FutureTask<>(command::run);
    Thread.ofPlatform().daemon().name("colony " + arguments[0]).start(task);
    return new RunningCommand() {
      @Override
      public String err() {
        return command.err();
      }

      @Override
      public String out() {
        return command.out();
      }

      @Override
      public boolean alive() {
        return !task.isDone();
      }

      @Override
      public Finished await() {
        try {
          return task.get(ColonyProcess.LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | TimeoutException | ExecutionException failure) {
          throw new AssertionError("does not end; standard error so far: " + err(), failure);
        }
      }

      @Override
      public void close() {
        task.cancel(true);
      }
    };
  }

  /** One command, and where it prints from the moment that it is made. */
  private static final class InThisJvm {

    private static final InputStream IN = System.in;
    private static final PrintStream OUT = System.out;
    private static final PrintStream ERR = System.err;

    /** Those under way, the last one first. */
    private static final Deque<InThisJvm> UNDER_WAY = new ArrayDeque<>();

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final InputStream in;
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    private final PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    private final String[] arguments;

    InThisJvm(byte[] input, String... arguments) {
      in = new ByteArrayInputStream(input);
      this.arguments = arguments;
      synchronized (UNDER_WAY) {
        UNDER_WAY.push(this);
        theLastOnePrints();
      }
    }

    private static void theLastOnePrints() {
      InThisJvm last = UNDER_WAY.peek();
      System.setIn(last == null ? IN : last.in);
      System.setOut(last == null ? OUT : last.out);
      System.setErr(last == null ? ERR : last.err);
    }

    String err() {
      return said.toString(StandardCharsets.UTF_8);
    }

    String out() {
      return printed.toString(StandardCharsets.UTF_8);
    }

    Finished run() {
      try {
        int status = ColonyCommand.execute(arguments);
        return new Finished(status, out(), ColonyProcess.withoutLateRedis(err()));
      } finally {
        synchronized (UNDER_WAY) {
          UNDER_WAY.remove(this);
          theLastOnePrints();
        }
      }
    }
  }
}
