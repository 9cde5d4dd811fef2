package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.dispatch.ActionThreads.Ending;
import dev.colony.core.dispatch.Attempts.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** What actions return: measured, and kept on the blackboard where it is too large for a record. */
final class Outputs {

  /** The part of the agent's scope in which large outputs stand. */
  static final String NAMESPACE = "results";

  private final Blackboard board;
  private final DispatchSettings settings;

  Outputs(Agent agent, DispatchSettings settings) {
    this.board = agent.blackboard(agent.id().scope().namespace(NAMESPACE));
    this.settings = settings;
  }

  /**
   * What a method has returned as the action's result; a stage is awaited. Runs on the action's own
   * thread, since writing an object as JSON calls the object's code.
   *
   * @throws Exception of the stage, or because the output is too large, has no JSON form or breaks
   *     one of the {@link ValueRules}
   */
  Ending.Returned measured(String actionId, Object returned) throws Exception {
    Object value = returned instanceof CompletionStage<?> stage ? Waiting.on(stage) : returned;
    if (!(value instanceof ActionResult of)) {
      byte[] text = text(value);
      return new Ending.Returned(ActionResult.succeeded(actionId, read(text)), text.length);
    }
    byte[] text = text(of.output());
    ActionResult result =
        new ActionResult(
            actionId,
            of.status(),
            read(text),
            Failure.line(of.error()),
            Optional.empty(),
            of.blockingAgentIds(),
            of.until(),
            of.usage(),
            of.models());
    return new Ending.Returned(result, text.length);
  }

  private byte[] text(Object value) throws IOException {
    BoundedText text = new BoundedText(DispatchSettings.MAX_OUTPUT_BYTES);
    try {
      JsonValues.write(value, text);
    } catch (JsonMappingException wrapped) {
      if (wrapped.getCause() instanceof BoundedText.TooLong tooLong) {
        throw tooLong;
      }
      throw new IllegalArgumentException(
          "the output cannot be written as JSON: " + wrapped.getOriginalMessage(), wrapped);
    }
    return text.bytes();
  }

  private static JsonNode read(byte[] text) throws IOException {
    return text.length == 0
        ? JsonNodeFactory.instance.nullNode()
        : ValueRules.check("the output", JsonValues.parse(text));
  }

  /** The result as it goes into the step's record. Blocks while a large output is stored. */
  ActionResult kept(RunId run, Ending.Returned returned) throws Exception {
    ActionResult result = returned.result();
    if (returned.bytes() <= DispatchSettings.INLINE_OUTPUT_BYTES) {
      return result;
    }
    String key = run.value() + ":" + result.actionId();
    Waiting.on(board.write(Write.of(key, result.output()).ttl(DispatchSettings.KEPT)));
    return result.stored(key, preview(result.output()));
  }

  private JsonNode preview(JsonNode output) {
    String text = output.isTextual() ? output.textValue() : output.toString();
    return TextNode.valueOf(Text.head(text, DispatchSettings.PREVIEW_CHARS) + "...");
  }

  /** A large output; empty if it is not there any more. Blocks. */
  Optional<JsonNode> stored(String key) throws Exception {
    return Waiting.on(board.read(key)).map(Entry::value);
  }

  /** Takes bytes up to a limit, so that what is too large is never there as a whole. */
  static final class BoundedText extends OutputStream {

    /** More came than may. */
    static final class TooLong extends IOException {

      private static final long serialVersionUID = 1L;

      TooLong(int maxBytes) {
        super("the output is larger than " + maxBytes + " bytes");
      }
    }

    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final int maxBytes;

    BoundedText(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public void write(int b) throws IOException {
      room(1);
      taken.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      room(length);
      taken.write(bytes, from, length);
    }

    private void room(int length) throws TooLong {
      if (length > maxBytes - taken.size()) {
        throw new TooLong(maxBytes);
      }
    }

    byte[] bytes() {
      return taken.toByteArray();
    }
  }

  /** Waits for stages on a thread that may be interrupted. */
  static final class Waiting {

    private Waiting() {}

    /**
     * The value of a stage.
     *
     * @throws CancellationException if the thread is interrupted meanwhile; it stays interrupted,
     *     and the stage is cancelled
     * @throws Exception what the stage failed with
     */
    static <T> T on(CompletionStage<T> stage) throws Exception {
      CompletableFuture<T> future = stage.toCompletableFuture();
      try {
        return future.get();
      } catch (InterruptedException stopped) {
        future.cancel(true);
        Thread.currentThread().interrupt();
        throw new CancellationException("interrupted");
      } catch (ExecutionException failed) {
        switch (Backoff.cause(failed)) {
          case Exception failure -> throw failure;
          case Error error -> throw error;
          default -> throw failed;
        }
      }
    }
  }
}
