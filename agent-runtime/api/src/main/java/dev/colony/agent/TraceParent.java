package dev.colony.agent;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a span as the header {@code traceparent} of W3C Trace Context has it. The ids of
 * Colony's own spans follow from names that are the same on every node, so that what is done again
 * after a crash is the same span, and so that its children find it before it has ended.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all 0
 * @param spanId 16 of them, not all 0
 * @param sampled whether its spans are to be kept
 * @see <a href="https://www.w3.org/TR/trace-context/">W3C Trace Context</a>
 */
public record TraceParent(String traceId, String spanId, boolean sampled) {

  /** The header's name. */
  public static final String HEADER = "traceparent";

  /** Characters of a header that is read, at most: later versions may say more. */
  private static final int MOST = 256;

  private static final int SPAN_DIGITS = 16;
  private static final int TRACE_DIGITS = 32;

  private static final Pattern FORM =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  /** Reads a header; empty where it is none, which is to be treated as if it were not there. */
  public static Optional<TraceParent> parse(String header) {
    if (header.length() > MOST) {
      return Optional.empty();
    }
    Matcher form = FORM.matcher(header);
    return form.matches()
        ? Optional.of(
            new TraceParent(
                form.group(1), form.group(2), (Integer.parseInt(form.group(3), 16) & 1) == 1))
        : Optional.empty();
  }

  /** The span of the run that a context names, of this agent, in its trace. */
  public static TraceParent of(AgentId agent, ExecutionContext context) {
    return new TraceParent(
        traceId(context),
        digits("run " + agent + "/" + context.run(), SPAN_DIGITS),
        context.traceparent().map(TraceParent::sampled).orElse(true));
  }

  /** The id of the trace of a context: that of what has set it off, else one of its own. */
  public static String traceId(ExecutionContext context) {
    return context
        .traceparent()
        .map(TraceParent::traceId)
        .orElseGet(() ->
            digits(
                context.tenant() + "/" + context.colony() + "/" + context.trace(), TRACE_DIGITS));
  }

  /**
   * Another span of the same trace.
   *
   * @param name the same whenever the same is done again, and of nothing else in the trace
   */
  public TraceParent span(String name) {
    return new TraceParent(traceId, digits(name, SPAN_DIGITS), sampled);
  }

  /** The header. */
  @Override
  public String toString() {
    return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
  }

  private static String digits(String name, int count) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, count / 2);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
