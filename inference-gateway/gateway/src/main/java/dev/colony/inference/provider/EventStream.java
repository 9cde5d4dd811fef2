package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.provider.Exchange.Wire;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.HttpExchanges.Opened;
import dev.colony.inference.provider.ServerError.StatusErrors;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/** A reply that comes as server-sent events, each a part of it. */
record EventStream(Exchange exchange, Opened opened, ReplyBuilder reply) {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String NO_WORD = "broke off its reply: it ended without a word";

  /**
   * Reads to the end, or to where it is of no use that more comes.
   *
   * @param begin until when the reply has to begin
   * @param goOn until when it then has to go on, asked for each line
   */
  void read(Deadline begin, Supplier<Deadline> goOn) throws CallFailure, InterruptedException {
    Wire wire = Wire.of(exchange.dialect().protocol());
    boolean whole = exchange.ofUseAsWhole();
    String event = "";
    StringBuilder data = new StringBuilder();
    boolean done = false;
    boolean silent = true;
    while (!done) {
      String line;
      try {
        line = opened.line(reply.begun() ? goOn.get() : begin);
      } catch (CallFailure failure) {
        // Some find behind the head of their reply that the prompt is too long.
        throw silent && failure.kind() == Kind.BROKEN_OFF ? CallFailure.silent(NO_WORD) : failure;
      }
      if (line == null || line.isEmpty()) {
        done = line == null || data.toString().equals("[DONE]");
        if (!data.isEmpty() && !data.toString().equals("[DONE]")) {
          wire.read(event, part(event, data.toString()), reply);
          if (whole && reply.finish().isEmpty() && reply.looped()) {
            reply.finish(FinishReason.LENGTH);
            break;
          }
        }
        event = "";
        data.setLength(0);
      } else if (line.startsWith("data:")) {
        silent = false;
        data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).stripLeading());
      } else if (line.startsWith("event:")) {
        event = line.substring(6).strip();
      } else if (line.startsWith("{") || line.startsWith("error:")) {
        // No event of a stream: some servers put an error so in the place of one.
        Optional<ServerError> error =
            line.startsWith("{")
                ? ServerError.within(line.getBytes(StandardCharsets.UTF_8))
                : Optional.of(ServerError.in(line.substring(6).getBytes(StandardCharsets.UTF_8)));
        if (error.isPresent()) {
          throw StatusErrors.midway(error.get(), "broke off its reply");
        }
      }
    }
    reply.end();
    if (silent) {
      throw CallFailure.silent(NO_WORD);
    }
    if (reply.finish().isEmpty()) {
      throw CallFailure.unplaced(
          Kind.BROKEN_OFF, "broke off its reply: it ended without saying why", null);
    }
  }

  private static JsonNode part(String event, String data) throws CallFailure {
    try {
      JsonNode node = JSON.readTree(data);
      Optional<ServerError> error = ServerError.within(event, node);
      if (error.isPresent()) {
        throw StatusErrors.midway(error.get(), "broke off its reply");
      }
      return node;
    } catch (JsonProcessingException failure) {
      throw CallFailure.unplaced(
          Kind.BAD_REPLY, "sent a part of its reply that is not JSON", failure);
    }
  }
}
