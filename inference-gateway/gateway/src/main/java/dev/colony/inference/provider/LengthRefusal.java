package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.WellFormed;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says where a request has too many tokens. Servers have a code for it, a type, or
 * nothing but a sentence; all that are known stand in one table.
 */
sealed interface LengthRefusal {

  /**
   * The prompt is too long, or leaves less room than the reply may take.
   *
   * @param limit of prompt and reply together, or of the prompt
   * @param prompt tokens of the prompt
   * @param total tokens of the prompt and of the reply's bound
   * @param reply the reply's bound
   * @param atLeast whether the server counts no further than to the first token that is too much
   */
  record Context(
      OptionalLong limit,
      OptionalLong prompt,
      OptionalLong total,
      OptionalLong reply,
      boolean atLeast)
      implements LengthRefusal {

    /**
     * The numbers for the caller.
     *
     * @param asked the reply's bound that was sent
     */
    PromptLength length(int asked) {
      // Of a sum, the prompt is what the reply's bound leaves: tools count, too.
      OptionalLong counted =
          total.isPresent() && (reply.isPresent() || prompt.isEmpty())
              ? OptionalLong.of(total.getAsLong() - reply.orElse(asked))
              : prompt;
      return new PromptLength(limit, counted.orElse(0) > 0 ? counted : OptionalLong.empty());
    }
  }

  /**
   * The prompt is not looked at: no reply of the model may have a bound like this.
   *
   * @param most tokens that a reply may have
   */
  record Reply(long most) implements LengthRefusal {}

  /** Refusals stand at the beginning of what is said; behind it there may be the prompt itself. */
  int MOST_CHARS = 8192;

  /** No model has a context of fewer tokens: smaller numbers are of something else. */
  int LEAST_LIMIT = 256;

  /** Codes and types of those that have one. */
  Pattern CODES =
      Pattern.compile(
          "context_length_(?:exceed|error|limit)|context_window_exceed|context_size_(?:error|exceed)"
              + "|contextwindowexceed|prompt_too_l|input_too_l|max_prompt_tokens_exceed"
              + "|request_too_large|tokens_limit_reached|^1261\\b");

  /** Bounds on how often or how much in a time, which are told in nearly the same words. */
  Pattern RATES =
      Pattern.compile(
          "rate.?limit|per (?:min|hour|day|sec|month)|\\btpm\\b|\\brpm\\b|throttl|too many requests"
              + "|please wait|quota");

  /** Sizes of other things than text. */
  Pattern OTHERS =
      Pattern.compile("\\b(?:image|audio|video|bytes|[km]b|name|description|schema)\\b");

  /** Words for what the model is given. */
  Pattern GIVEN = Pattern.compile("prompt|\\binputs?\\b|\\bmessages?\\b");

  /** The name of the reply's bound, as the subject of what is said. */
  Pattern BOUND =
      Pattern.compile("max[_ ]?(?:completion_|output_?|new_)?tokens\\b(?!\\s*(?:of|exceeded))");

  /** What a reply may have at most: the first that matches counts. */
  List<Pattern> REPLIES =
      rows(
          // OpenAI
          "supports? at most M completion tokens",
          // DeepSeek, DashScope
          "range of max_(?:completion_)?tokens (?:is|should be) \\[\\d+, ?M\\]",
          // Groq
          "max_(?:completion_)?tokens must be less than or equal to M",
          // Anthropic
          "max_tokens: \\d+ > M",
          // TGI
          "(?<!\\+ )max_new_tokens must be <= M",
          // Bedrock
          "maximum tokens (?:that )?you requested exceeds the model limit of M",
          // vLLM
          "max_(?:completion_)?tokens(?: ?= ?| \\()\\d+\\)? cannot be greater than"
              + " (?:[a-z_]+ ?= ?)+M");

  /** The same, where nothing is said of what the model is given. */
  List<Pattern> BOUNDS =
      rows(
          // Databricks, Cohere, Cloudflare and others
          "max[_ ]?(?:completion_|output_?|new_)?tokens\\b.{0,60}?(?:at most|(?:cannot|must not|may"
              + " not) exceed|no more than|less than or equal to|(?:greater|larger) than|<=|between"
              + " \\d+ and|in (?:the )?range \\[?\\d+(?:,|-| to)|exceeds)[^\\d.]{0,50}M\\b",
          // Vertex
          "maxoutputtokens value of \\d+ .{0,30}?range is from \\d+ \\(inclusive\\) to"
              + " M(?<beyond> \\(exclusive\\))?");

  /** Prompts that are too long: the first that matches counts. */
  List<Pattern> PROMPTS =
      rows(
          // vLLM and those in its words: (at least) so many input tokens
          "maximum context length is L tokens.{0,90}?(?:has|contains)(?<least> at least)? P input"
              + " tokens",
          // OpenAI, Azure, DeepSeek, OpenRouter, llama-cpp-python: of how many, so many in the
          // reply
          "maximum context length is L tokens.{0,40}?requested(?: about)? T tokens \\("
              + "(?:P (?:in|of)[^)]{0,120}?\\D)?R (?:in|for) the (?:completion|output)",
          "maximum context length is L tokens.{0,40}?resulted in P tokens",
          "maximum context length is L tokens.{0,40}?requested(?: about)? T tokens",
          // SGLang
          "maximum context length of L tokens.{0,40}?total of T tokens: P tokens from the input"
              + " messages and R tokens for the completion",
          "(?:input|prompt)(?: length)? \\(?P(?: tokens)?\\)? (?:is longer than|exceeds) (?:the"
              + " )?(?:models )?(?:max(?:imum)? )?(?:allowed )?(?:input |context )?length (?:of"
              + " )?\\(?L",
          // vLLM
          "you passed P input tokens(?: and requested R output tokens)?.{0,60}?context length is"
              + " only L",
          "prompt \\((?:total )?length P\\) is (?:too long|longer).{0,60}?(?:maximum model length"
              + " of|context length) L",
          "input prompt \\(P tokens\\) is too long and exceeds limit of L",
          // OpenAI, GPT-5
          "configured limit of L tokens.{0,40}?resulted in P tokens",
          // Anthropic, Bedrock, Fireworks
          "prompt is too long: P tokens > L maximum",
          "input length and max_tokens exceed context limit: P \\+ R > L",
          "context window \\(P tokens > L",
          "prompt is too long: P,? model maximum context length: L",
          // Gemini, Vertex
          "input token count \\(?P\\)? exceeds the maximum number of tokens allowed \\(?L",
          "input token count is P but (?:the )?model only supports up to L",
          // TGI, Together
          "inputs tokens \\+ max_new_tokens must be <= L.{0,3}given: P inputs tokens and R"
              + " max_new_tokens",
          "inputs must have less than L tokens.{0,3}given: P",
          // llama.cpp, llama-cpp-python
          "request \\(P tokens\\) exceeds the available context size \\(L",
          "exceeds the available context size \\(L",
          "requested tokens \\(P\\) exceed context window of L",
          // LM Studio
          "keep the first P tokens when .{0,100}?context length of only L",
          "greater than the context length \\(n_keep: P ?>=? ?n_ctx: L",
          "reached context length of L",
          // Bedrock, Titan
          "max input tokens: L.{0,3}request input token count: P",
          // Mistral
          "prompt contains P tokens.{0,60}?too large for model with L maximum context length",
          // Cerebras
          "current length is T while limit is L",
          // xAI, GitHub Copilot, Kimi, DashScope, Cohere, DwarfStar
          "maximum prompt length is L but the request contains P",
          "prompt token count of P exceeds the limit of L",
          "exceeded model token limit: L \\(requested: T",
          "range of input length should be \\[\\d+, ?L",
          "tokens in the prompt cannot exceed L(?:.{0,3}received P)?",
          "prompt has P tokens, but the configured context size is L",
          // watsonx, TabbyAPI, SiliconFlow, TensorRT-LLM, Cloudflare, GitHub Models, MLC, Yandex
          "number of input tokens P cannot exceed the total tokens limit L",
          "(?:prompt|context) length P (?:is greater than|exceeds) max_seq_len L",
          "length of prompt_tokens \\(P\\) must be less than max_seq_len \\(L",
          "prompt length \\(P(?:\\.\\d)?\\), query length \\(\\d+\\).{0,40}?should not exceed"
              + " [a-z_]+ \\(L",
          "max_seq_len \\(L\\) - (?:splited_)?prompt_len \\(P",
          "input and maximum output tokens \\(T\\) exceeded this model context window limit \\(L",
          "request body too large for .{0,60}?max size: L tokens",
          "prompt has P tokens in total, larger than the model input length limit L",
          "number of input tokens must be no more than L, got P",
          // A limit and no count that is one of tokens
          "input token count exceeds the maximum number of tokens allowed \\(?L",
          "max tokens of L exceeded",
          "maximum context length (?:is|of) L tokens.{0,90}?(?:prompt|input|exceed|reduce)",
          "exceeds? the .{0,20}?maximum context length of L",
          // Words alone
          "(?:exceed|larger than|longer than|greater than|too long for)[a-z]*\\b.{0,40}?\\bcontext"
              + " (?:window|length|size|limit)",
          "context (?:window|length|size|limit) (?:has been |is |was )?(?:exceed|full|overflow)",
          "contextwindowexceeded|context_length_exceeded|exceed_context_size",
          "(?<!audio |image |video )(?:prompt|input) (?:is |was |are )?too long",
          "prompt exceeds (?:the )?max",
          "prompt tokens too long|too many (?:input |prompt )?tokens|input tokens exceed",
          "model_context_window_exceeded|token limit exceeded|exceed max message tokens"
              + "|tokens limit in messages exceeded|\u8d85\u957f",
          "reduce (?:the length of )?(?:the |your )?(?:prompt|messages|input prompt)",
          // Bounds in characters that are near those of a context
          "expected a string with maximum length \\d{6}|expected maxlength: \\d{5,}, actual: \\d+");

  /** Of servers that no row is about: so many tokens of what is given, and more than so many. */
  List<Pattern> NUMBERS =
      rows(
          "(?:prompt|input|messages?|context|sequence|request)\\b[^.;]{0,40}?(?<!\\d)P(?!\\d)"
              + "[^.;]{0,40}?(?:exceed|(?:long|larg|great)er than|more than|less than)"
              + "[^.;]{0,60}?(?<!\\d)L(?!\\d)",
          "\\b(?:tokens|prompt|context)\\b.{0,80}?(?<!\\d)P(?: tokens)? > L(?!\\d)",
          "(?<!\\d)P tokens > L(?!\\d)");

  /**
   * What is said; empty where it is nothing of the kind.
   *
   * @param code and type, as far as there are
   * @param text the server's words
   * @param error the object that they stand in
   */
  static Optional<LengthRefusal> of(String code, String text, JsonNode error) {
    String codes = code.toLowerCase(Locale.ROOT);
    String words = plain(text);
    if (RATES.matcher(codes).find() || RATES.matcher(words).find()) {
      return Optional.empty();
    }
    for (Pattern row : REPLIES) {
      Matcher said = row.matcher(words);
      if (said.find()) {
        return Optional.of(new Reply(Long.parseLong(said.group("most"))));
      }
    }
    boolean bound = BOUND.matcher(words).find() && !GIVEN.matcher(words).find();
    for (Pattern row : bound ? BOUNDS : List.<Pattern>of()) {
      Matcher said = row.matcher(words);
      if (said.find()) {
        boolean beyond = said.namedGroups().containsKey("beyond") && said.group("beyond") != null;
        return Optional.of(new Reply(Long.parseLong(said.group("most")) - (beyond ? 1 : 0)));
      }
    }
    if (bound) {
      return Optional.empty();
    }
    // llama.cpp has the numbers beside the words, too.
    OptionalLong limit = number(error.path("n_ctx"));
    OptionalLong prompt = number(error.path("n_prompt_tokens"));
    for (Pattern row : PROMPTS) {
      Matcher said = row.matcher(words);
      if (said.find()) {
        Context context =
            context(
                limit.isPresent() ? limit : number(said, "limit"),
                prompt.isPresent() ? prompt : number(said, "prompt"),
                number(said, "total"),
                number(said, "reply"),
                said.namedGroups().containsKey("least") && said.group("least") != null);
        boolean numbers = context.limit().isPresent() || context.prompt().isPresent();
        return Optional.of(numbers ? context : more(words).orElse(context));
      }
    }
    if (CODES.matcher(codes).find()) {
      return Optional.of(context(limit, prompt, OptionalLong.empty(), OptionalLong.empty(), false));
    }
    return OTHERS.matcher(words).find() || !words.matches(".*(?:token|context|length|_len).*")
        ? Optional.empty()
        : more(words).map(said -> said);
  }

  private static Optional<Context> more(String words) {
    return NUMBERS.stream()
        .map(row -> row.matcher(words))
        .filter(Matcher::find)
        .map(said ->
            context(
                number(said, "limit"),
                number(said, "prompt"),
                OptionalLong.empty(),
                OptionalLong.empty(),
                false))
        .filter(said -> said.limit().orElse(0) >= LEAST_LIMIT)
        .filter(said -> said.prompt().orElse(0) > said.limit().orElse(0))
        .findFirst();
  }

  private static Context context(
      OptionalLong limit,
      OptionalLong prompt,
      OptionalLong total,
      OptionalLong reply,
      boolean least) {
    boolean stopped =
        limit.isPresent()
            && prompt.isPresent()
            && reply.isPresent()
            && prompt.getAsLong() + reply.getAsLong() == limit.getAsLong() + 1;
    return new Context(limit, prompt, total, reply, least || stopped);
  }

  /** Without what differs from one way of writing to another. */
  private static String plain(String text) {
    return WellFormed.head(text, MOST_CHARS)
        .toLowerCase(Locale.ROOT)
        .replaceAll("[`'\"\\\\]", "")
        .replaceAll("(?<=\\d),(?=\\d{3})", "")
        .replaceAll("\\s+", " ");
  }

  private static OptionalLong number(JsonNode node) {
    return node.canConvertToLong() && node.isIntegralNumber()
        ? OptionalLong.of(node.longValue())
        : OptionalLong.empty();
  }

  private static OptionalLong number(Matcher said, String name) {
    return said.namedGroups().containsKey(name) && said.group(name) != null
        ? OptionalLong.of(Long.parseLong(said.group(name)))
        : OptionalLong.empty();
  }

  /** L, P, T, R and M stand for numbers: limit, prompt, total, reply, most. */
  private static List<Pattern> rows(String... rows) {
    return List.of(rows).stream()
        .map(row ->
            Pattern.compile(
                row.replaceAll("\\bL\\b", "(?<limit>\\\\d{1,12})")
                    .replaceAll("\\bP\\b", "(?<prompt>\\\\d{1,12})")
                    .replaceAll("\\bT\\b", "(?<total>\\\\d{1,12})")
                    .replaceAll("\\bR\\b", "(?<reply>\\\\d{1,12})")
                    .replaceAll("\\bM\\b", "(?<most>\\\\d{1,12})")))
        .toList();
  }
}
