package dev.colony.code;

import dev.colony.blackboard.value.Text;
import io.roastedroot.quickjs4j.core.JavyPluginModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.ExportFunction;
import run.endive.runtime.HostFunction;
import run.endive.runtime.ImportValues;
import run.endive.runtime.Instance;
import run.endive.runtime.WasmInterruptedException;
import run.endive.wasi.WasiOptions;
import run.endive.wasi.WasiPreview1;
import run.endive.wasm.WasmEngineException;
import run.endive.wasm.types.FunctionType;
import run.endive.wasm.types.MemoryLimits;
import run.endive.wasm.types.ValType;

/**
 * An interpreter of JavaScript that executes one script and is thrown away: QuickJS, compiled to
 * WebAssembly and from there to Java bytecode. What the script reaches of the world outside is one
 * function that takes and gives texts: no files, no environment, no network, no Java. Its memory is
 * one array of bounded length, and so that the same script always does the same its clock is a
 * given one that goes on by a millisecond whenever it is looked at.
 *
 * <p>It ends soon after its thread is interrupted, whatever the script does. Used by one thread.
 */
final class Engine {

  /** What a script calls; runs on the script's thread. */
  interface Host {

    /**
     * A call from the script; the answer has at least one character.
     *
     * @throws RuntimeException which ends the script, and comes out of {@link Engine#execute}
     */
    String invoke(String name, String function, String text);

    /** A call whose text is larger than may be, and is not read. */
    String tooLarge(String name, String function, long bytes);
  }

  /**
   * The script has ended otherwise than by itself, for a reason that is one line for its author.
   */
  static final class Ended extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Ended(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The largest value that passes between a cell and the node: parameters and output of an action,
   * a result.
   */
  static final int VALUE_BYTES = 1 << 20;

  private static final int PAGE = 64 * 1024;
  private static final int ALIGNMENT = 1;
  private static final int WORD = 4;
  private static final String SCRIPT = script();

  private final Last errors = new Last();
  private final GivenClock clock = new GivenClock();
  private final Instance instance;
  private final ExportFunction allocate;
  private final int memoryBytes;
  private Host host;

  /** Takes about 0.1 s, on the node's first one 2 s. */
  Engine(int memoryBytes) {
    this.memoryBytes = memoryBytes;
    WasiOptions options =
        WasiOptions.builder()
            .withStdout(OutputStream.nullOutputStream())
            .withStderr(errors)
            .withStdin(InputStream.nullInputStream())
            .withClock(clock)
            .withRandom(new Random(0))
            .build();
    FunctionType type = FunctionType.of(Collections.nCopies(6, ValType.I32), List.of(ValType.I32));
    this.instance =
        Instance.builder(JavyPluginModule.load())
            .withMemoryFactory(asked ->
                new ByteArrayMemory(
                    new MemoryLimits(
                        asked.initialPages(),
                        Math.max(
                            asked.initialPages(),
                            Math.min(asked.maximumPages(), memoryBytes / PAGE)))))
            .withMachineFactory(JavyPluginModule::create)
            .withImportValues(
                ImportValues.builder()
                    .addFunction(
                        WasiPreview1.builder().withOptions(options).build().toHostFunctions())
                    .addFunction(
                        new HostFunction(
                            "endive", "invoke", type, (at, given) -> new long[] {invoke(given)}))
                    .build())
            .build();
    this.allocate = instance.exports().function("cabi_realloc");
    instance.exports().function("initialize_runtime").apply();
  }

  /**
   * Executes a cell, to its end and that of all that it has begun.
   *
   * @param setup as JSON, what {@code cell.js} is given
   * @param time that the script's clock shows first
   * @throws Ended if the script does not end by itself
   * @throws RuntimeException that the host throws
   */
  void execute(String setup, Instant time, Host of) {
    host = of;
    clock.now = time;
    try {
      byte[] source = (SCRIPT + "(java_invoke," + setup + ")").getBytes(StandardCharsets.UTF_8);
      int at = put(source);
      int compiled = (int) instance.exports().function("compileSrc").apply(at, source.length)[0];
      instance
          .exports()
          .function("eval")
          .apply(
              instance.memory().readInt(compiled),
              instance.memory().readInt(compiled + WORD),
              0,
              0);
    } catch (WasmInterruptedException stopped) {
      throw new Ended("it was stopped", stopped);
    } catch (WasmEngineException trap) {
      throw new Ended(reason(trap), trap);
    } catch (StackOverflowError deep) {
      throw new Ended("stack overflow", deep);
    }
  }

  private String reason(WasmEngineException trap) {
    String said = errors.text();
    if (said.contains("out of memory") || said.contains("memory allocation")) {
      return "out of memory: a cell has " + memoryBytes + " bytes, the engine's own included";
    }
    // The stack within the memory is at its beginning: below it nothing can be addressed.
    String trapped = String.valueOf(trap.getMessage());
    if (trapped.contains("call stack exhausted") || trapped.contains("access address: -")) {
      return "stack overflow";
    }
    return said.isBlank() ? Text.message(trap) : Text.message(said);
  }

  private long invoke(long[] given) {
    String name = text(given[0], given[1]);
    String function = text(given[2], given[3]);
    String said =
        given[5] > VALUE_BYTES
            ? host.tooLarge(name, function, given[5])
            : host.invoke(name, function, text(given[4], given[5]));
    byte[] answer = said.getBytes(StandardCharsets.UTF_8);
    int at = put(answer);
    int wide = allocated(2 * WORD);
    instance.memory().writeI32(wide, at);
    instance.memory().writeI32(wide + WORD, answer.length);
    return wide;
  }

  private String text(long at, long length) {
    if (length > VALUE_BYTES) {
      throw new Ended("a name of " + length + " bytes is none", null);
    }
    return new String(instance.memory().readBytes((int) at, (int) length), StandardCharsets.UTF_8);
  }

  private int put(byte[] bytes) {
    int at = allocated(bytes.length);
    instance.memory().write(at, bytes, 0, bytes.length);
    return at;
  }

  private int allocated(int bytes) {
    return (int) allocate.apply(0, 0, ALIGNMENT, bytes)[0];
  }

  private static String script() {
    try (InputStream in = Engine.class.getResourceAsStream("cell.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  /** The last of what is written, which is little: why the engine gives up. */
  private static final class Last extends OutputStream {

    private static final int MOST = 4096;

    private final StringBuilder kept = new StringBuilder();

    @Override
    public void write(int one) {
      if (kept.length() < MOST) {
        kept.append((char) (one & 0xff));
      }
    }

    String text() {
      return kept.toString();
    }
  }

  /** Goes on when it is looked at. */
  private static final class GivenClock extends Clock {

    private Instant now = Instant.EPOCH;

    @Override
    public Instant instant() {
      Instant shown = now;
      now = now.plusMillis(1);
      return shown;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
