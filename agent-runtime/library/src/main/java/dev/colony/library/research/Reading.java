package dev.colony.library.research;

import dev.colony.inference.ChatMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * How far an analyst is with its pages: the turns that it has had with a model about one of them.
 * Durable between the steps of a run. Immutable.
 *
 * @param page the index of the page
 * @param turns about it
 * @param looks what the model wants to see and has not been shown
 * @param looked how often it has been shown something
 * @param pages that it was shown parts of, besides its own
 */
record Reading(
    int page, List<Reading.Turn> turns, List<Look> looks, int looked, List<String> pages) {

  /** Why a model is asked. */
  enum Kind {
    READ,
    REPAIR,
    LOOK
  }

  /**
   * A question and its reply.
   *
   * @param told what the model was told; empty for the first turn of a page, which is always the
   *     same
   * @param reply of the model
   */
  record Turn(Kind kind, String told, String reply) {}

  static final Reading NONE = new Reading(0, List.of(), List.of(), 0, List.of());

  Reading {
    turns = turns == null ? List.of() : List.copyOf(turns);
    looks = looks == null ? List.of() : List.copyOf(looks);
    pages = pages == null ? List.of() : List.copyOf(pages);
  }

  /** The next page, of which nothing is read. */
  Reading next() {
    return new Reading(page + 1, List.of(), List.of(), 0, List.of());
  }

  Reading after(Kind kind, String told, String reply, List<Look> wanted) {
    List<Turn> all = new ArrayList<>(turns);
    all.add(new Turn(kind, told, reply));
    return new Reading(page, all, wanted, looked + (kind == Kind.LOOK ? 1 : 0), pages);
  }

  Reading showing(List<String> more) {
    return new Reading(page, turns, looks, looked, more);
  }

  /** Names the check of the last turn's quotes within the run. */
  String checkId() {
    return checkId(turns.getLast().kind(), looked);
  }

  String checkId(Kind kind, int look) {
    return switch (kind) {
      case READ -> "page-" + page;
      case REPAIR -> "page-" + page + "-repair";
      case LOOK -> "page-" + page + "-look-" + look;
    };
  }

  /**
   * The conversation behind the page: the first request, then what was said, then what is asked.
   */
  List<ChatMessage> messages(String first, String asked) {
    List<ChatMessage> messages = new ArrayList<>();
    messages.add(new ChatMessage.User(first));
    for (int i = 0; i < turns.size(); i++) {
      if (i > 0) {
        messages.add(new ChatMessage.User(turns.get(i).told()));
      }
      messages.add(new ChatMessage.Assistant(turns.get(i).reply(), List.of()));
    }
    if (!turns.isEmpty()) {
      messages.add(new ChatMessage.User(asked));
    }
    return messages;
  }
}
