package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.CallContext;
import java.net.http.HttpRequest;

/**
 * What an engine is told of a call beside its prompt. Only a server of a dialect that takes a hint
 * is sent it; one that refuses it is not sent it again, as any other field of its {@link Dialect}.
 *
 * <p>vLLM from 0.32 on: the call's session, with a report of all blocks that the call uses, so that
 * the events of its cache tell whose they are; and the call's priority, which counts where the
 * server was started with {@code --scheduling-policy priority} and is passed over where not. Older
 * ones pass all of it over. A router of llm-d in front of vLLM takes the same header for a session.
 *
 * <p>vLLM also ends a reply of which no more is of use once its tokens repeat, and writes on from
 * the beginning of a reply: without the schema, since its grammar would begin anew. llama.cpp
 * writes on by itself where a request ends with the model's own words, and its grammar goes on with
 * them.
 *
 * <p>Dynamo from 1.6 on: session and priority, both in headers. Its router counts the session where
 * it was started with {@code --router-session-affinity-ttl-secs}, the priority in its queue.
 */
final class EngineHints {

  /** The names of headers are lower case, as a refusal's words are compared. */
  static final String SESSION = "x-session-id";

  static final String PRIORITY = "x-vllm-priority";
  static final String ARGUMENTS = "vllm_xargs";
  static final String REPETITION = "repetition_detection";
  static final String CONTINUE = "continue_final_message";

  /**
   * A loop is what stands there twelve times, over at least 48 tokens. The longest has about as
   * many characters as {@link Repetition} takes for one.
   */
  private static final int LOOP_TIMES = 12;

  private static final int LEAST_LOOP_TOKENS = 4;
  private static final int MOST_LOOP_TOKENS = 40;

  private static final String DYNAMO_SESSION = "x-dynamo-session-id";
  private static final String DYNAMO_PRIORITY = "x-dynamo-request-priority";
  private static final String REPORT = "kv_cache_report_mode";

  private EngineHints() {}

  /** Adds those that stand in the body; what a client has set itself stays. */
  static void add(ObjectNode body, Exchange exchange) {
    if (vllm(exchange) && exchange.sends(ARGUMENTS)) {
      ObjectNode arguments =
          body.get(ARGUMENTS) instanceof ObjectNode own ? own.deepCopy() : body.objectNode();
      if (!arguments.has(REPORT)) {
        body.set(ARGUMENTS, arguments.put(REPORT, "full"));
      }
    }
    if (vllm(exchange) && !exchange.begun().isEmpty()) {
      body.put(CONTINUE, true).put("add_generation_prompt", false).remove("response_format");
    }
    if (vllm(exchange)
        && exchange.ofUseAsWhole()
        && exchange.sends(REPETITION)
        && !body.has(REPETITION)) {
      body.putObject(REPETITION)
          .put("max_pattern_size", MOST_LOOP_TOKENS)
          .put("min_pattern_size", LEAST_LOOP_TOKENS)
          .put("min_count", LOOP_TIMES);
    }
  }

  /** Whether a server writes on from the beginning of a reply that it is sent. */
  static boolean goesOn(Dialect dialect) {
    return dialect.protocol() == Dialect.Protocol.CHAT_COMPLETIONS
        && (dialect.name().equals("vllm") || dialect.name().equals("llama.cpp"))
        && !dialect.omitted().contains(CONTINUE);
  }

  /** Adds those that stand in headers. */
  static void add(HttpRequest.Builder post, Exchange exchange) {
    int urgency = exchange.request().context().priority() - CallContext.USUAL;
    if (vllm(exchange)) {
      // Lower is earlier there, and 0 is the usual. A client's own word stands in the body.
      boolean own = exchange.request().extraFields().containsKey("priority");
      add(post, exchange, SESSION, PRIORITY, own ? 0 : -urgency);
    } else if (exchange.dialect().name().equals("dynamo")) {
      // A header counts there before the body, and higher is earlier.
      boolean own = exchange.request().extraFields().containsKey("nvext");
      add(post, exchange, DYNAMO_SESSION, DYNAMO_PRIORITY, own ? 0 : urgency);
    }
  }

  private static void add(
      HttpRequest.Builder post, Exchange exchange, String session, String name, int priority) {
    if (exchange.sends(session)) {
      post.header(session, exchange.request().sessionName());
    }
    if (priority != 0 && exchange.sends(name)) {
      post.header(name, Integer.toString(priority));
    }
  }

  private static boolean vllm(Exchange exchange) {
    return exchange.dialect().name().equals("vllm")
        && exchange.dialect().protocol() == Dialect.Protocol.CHAT_COMPLETIONS;
  }
}
