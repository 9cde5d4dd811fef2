package dev.colony.replica;

import dev.colony.replica.Message.MadeCall;
import dev.colony.replica.lexical.LexicalModel;
import dev.colony.replica.lexical.LexicalPrompt;
import dev.colony.replica.lexical.Tools;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Has the lexical model write replies, as many at once as there are processors. Thread-safe. */
final class Writer {

  private final LexicalModel model;
  private final Semaphore processors =
      new Semaphore(Runtime.getRuntime().availableProcessors(), true);
  private final int interval;

  Writer(EmbeddedReplicaSettings settings) {
    this.model = new LexicalModel(settings.analysisMemoChars());
    this.interval = settings.streamInterval();
  }

  /** Loads vocabularies, so that the first call does not wait for them. */
  void warmUp() {
    model.reply(new LexicalPrompt(List.of(), "Question: warm?", Optional.empty()));
    TokenMemo.ENCODING.countTokens("warm");
  }

  /** The reply to a request, of at most {@code limit} tokens. */
  Generation write(ChatRequest request, int limit) throws InterruptedException {
    processors.acquire();
    try {
      Tools tools = new Tools(request.offered(), request.toolChoice(), taken(request.messages()));
      LexicalPrompt prompt = LexicalPrompt.of(said(request.messages(), tools), request.schema());
      Optional<Call> call = model.call(prompt, tools);
      if (call.isPresent()) {
        return Generation.call(call.get(), request.toolChoice(), limit, interval);
      }
      String text =
          request.choices().isEmpty()
              ? model.reply(prompt, tools.taken())
              : model.choose(prompt, request.choices());
      return Generation.text(text, request.stop(), limit, interval);
    } finally {
      processors.release();
    }
  }

  /**
   * What a planner's system message says of its actions is part of what it asks, and so is what its
   * cells have printed.
   */
  private static List<String> said(List<Message> messages, Tools tools) {
    return messages.stream()
        .filter(message ->
            switch (message.role()) {
              case "user" -> true;
              case "system" -> tools.planning();
              case "tool" -> tools.coding();
              default -> false;
            })
        .map(Message::content)
        .toList();
  }

  /** The calls since the last user message that have a result. */
  private static List<Taken> taken(List<Message> messages) {
    List<MadeCall> made = new ArrayList<>();
    List<Taken> taken = new ArrayList<>();
    for (Message message : messages) {
      if (message.role().equals("user")) {
        made.clear();
        taken.clear();
      }
      made.addAll(message.calls());
      if (message.role().equals("tool")) {
        made.stream()
            .filter(one -> one.id().equals(message.callId()))
            .findFirst()
            .ifPresent(one -> taken.add(new Taken(one.call(), message.content())));
      }
    }
    return taken;
  }
}
