package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What servers say of a prompt that is too long, in the words of their sources and of reports about
 * them, and what they say in nearly the same words of something else.
 */
class LengthRefusalsTest {

  private static final int REPLY = 50;

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  /**
   * A refusal.
   *
   * @param limit that it names; 0 for none
   * @param prompt tokens that it names; 0 for none
   */
  private record Row(String server, int status, String body, long limit, long prompt) {

    @Override
    public String toString() {
      return server;
    }
  }

  private static Row row(String server, int status, long limit, long prompt, String body) {
    return new Row(server, status, body, limit, prompt);
  }

  /** One in OpenAI's form, with a code or a type as the text of JSON. */
  private static Row error(
      String server, long limit, long prompt, String type, String code, String message) {
    String json = message.replace("\\", "\\\\").replace("\"", "\\\"");
    return row(
        server,
        400,
        limit,
        prompt,
        "{\"error\":{\"message\":\"%s\",\"type\":%s,\"param\":null,\"code\":%s}}"
            .formatted(json, type, code));
  }

  static Stream<Row> tooLong() {
    return Stream.concat(engines(), services());
  }

  private static Stream<Row> engines() {
    return Stream.of(
        error(
            "vLLM",
            8192,
            8193,
            "\"BadRequestError\"",
            "400",
            "This model's maximum context length is 8192 tokens. However, your prompt contains at"
                + " least 8193 input tokens. Please reduce the length of the input prompt or the"
                + " number of requested output tokens. (parameter=input_tokens, value=8193)"),
        error(
            "vLLM, with the reply's bound",
            8192,
            10000,
            "\"BadRequestError\"",
            "400",
            "This model's maximum context length is 8192 tokens. However, you requested 50 output"
                + " tokens and your prompt contains 10000 input tokens, for a total of 10050"
                + " tokens. Please reduce the length of the input prompt or the number of requested"
                + " output tokens."),
        error(
            "vLLM, by characters",
            8192,
            0,
            "\"BadRequestError\"",
            "400",
            "This model's maximum context length is 8192 tokens. However, you requested 50 output"
                + " tokens and your prompt contains 100000 characters (more than 81420 characters,"
                + " which is the upper bound for 8142 input tokens). Please reduce the length of"
                + " the input prompt or the number of requested output tokens."),
        error(
            "vLLM 0.16",
            131072,
            199073,
            "\"BadRequestError\"",
            "400",
            "You passed 199073 input tokens and requested 50 output tokens. However, the model's"
                + " context length is only 131072 tokens, resulting in a maximum input length of"
                + " 131022 tokens. Please reduce the length of the input prompt."
                + " (parameter=input_tokens, value=199073)"),
        row(
            "vLLM, the error at the root",
            400,
            200,
            203,
            "{\"object\":\"error\",\"message\":\"This model's maximum context length is 200 tokens."
                + " However, your request has 203 input tokens. Please reduce the length of the"
                + " input messages."
                + " None\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}"),
        error(
            "vLLM, of the decoder",
            4096,
            25938,
            "\"BadRequestError\"",
            "400",
            "The decoder prompt (length 25938) is longer than the maximum model length of 4096."
                + " Make sure that `max_model_len` is no smaller than the number of text tokens."),
        error(
            "vLLM, of several modalities",
            4096,
            25938,
            "\"BadRequestError\"",
            "400",
            "The prompt (total length 25938) is too long to fit into the model (context length"
                + " 4096). Make sure that `max_model_len` is no smaller than the number of text"
                + " tokens plus multimodal tokens."),
        row(
            "SGLang",
            400,
            40960,
            61709,
            "{\"object\":\"error\",\"message\":\"The input (61709 tokens) is longer than the"
                + " model's context length (40960"
                + " tokens).\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}"),
        row(
            "SGLang, with the reply's bound",
            400,
            131072,
            140000,
            "{\"object\":\"error\",\"message\":\"Requested token count exceeds the model's maximum"
                + " context length of 131072 tokens. You requested a total of 140050 tokens: 140000"
                + " tokens from the input messages and 50 tokens for the completion. Please reduce"
                + " the number of tokens in the input messages or the completion to fit within the"
                + " limit.\",\"type\":\"BadRequest\",\"param\":null,\"code\":400}"),
        row(
            "SGLang, by its memory",
            400,
            59862,
            160062,
            "{\"object\":\"error\",\"message\":\"Input length (160062 tokens) exceeds the maximum"
                + " allowed length (59862 tokens). Use a shorter input or enable"
                + " --allow-auto-truncate.\",\"type\":\"BadRequest\",\"param\":null,\"code\":400}"),
        row(
            "TGI",
            422,
            1024,
            1872,
            "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given:"
                + " 1872\",\"error_type\":\"validation\"}"),
        row(
            "TGI, with the reply's bound",
            422,
            1512,
            2000,
            "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens`"
                + " must be <= 1512. Given: 2000 `inputs` tokens and 50 `max_new_tokens`\","
                + "\"http_status_code\":422}}"),
        row(
            "llama.cpp",
            400,
            8192,
            14429,
            "{\"error\":{\"code\":400,\"message\":\"request (14429 tokens) exceeds the available"
                + " context size (8192 tokens), try increasing it\","
                + "\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":14429,"
                + "\"n_ctx\":8192}}"),
        row(
            "llama.cpp, by its type alone",
            500,
            256,
            1407,
            "{\"error\":{\"code\":500,\"message\":\"too much\",\"type\":"
                + "\"exceed_context_size_error\",\"n_prompt_tokens\":1407,\"n_ctx\":256}}"),
        row(
            "llama.cpp, in mid-reply",
            500,
            0,
            0,
            "{\"error\":{\"code\":500,\"message\":\"Context size has been exceeded.\","
                + "\"type\":\"server_error\"}}"),
        error(
            "llama-cpp-python",
            2048,
            2285,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "This model's maximum context length is 2048 tokens, however you requested 2335 tokens"
                + " (2285 in your prompt; 50 for the completion). Please reduce your prompt; or"
                + " completion length."),
        row(
            "llama-cpp-python, of the library",
            500,
            2048,
            2285,
            "{\"error\":{\"message\":\"Requested tokens (2285) exceed context window of 2048\","
                + "\"type\":\"internal_server_error\",\"param\":null,\"code\":null}}"),
        row(
            "LM Studio",
            400,
            32768,
            111490,
            "{\"error\":\"Trying to keep the first 111490 tokens when context the overflows."
                + " However, the model is loaded with context length of only 32768 tokens, which is"
                + " not enough. Try to load the model with a larger context length, or provide a"
                + " shorter input. Error Data: n/a, Additional Data: n/a\"}"),
        row(
            "LM Studio 0.4",
            400,
            4096,
            13055,
            "{\"error\":\"The number of tokens to keep from the initial prompt is greater than the"
                + " context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a"
                + " larger context length, or provide a shorter input.\"}"),
        row(
            "Ollama",
            400,
            0,
            0,
            "{\"error\":{\"message\":\"prompt too long; exceeded max context length by 4 tokens\","
                + "\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}"),
        row(
            "Ollama, its runner",
            500,
            0,
            0,
            "{\"error\":{\"message\":\"the input length exceeds the context length\",\"type\":"
                + "\"api_error\",\"param\":null,\"code\":null}}"),
        error(
            "TabbyAPI",
            8192,
            9000,
            "null",
            "null",
            "Prompt length 9000 is greater than max_seq_len 8192"),
        row(
            "TensorRT-LLM, of Python",
            400,
            8192,
            9351,
            "{\"object\":\"error\",\"message\":\"The sum of prompt length (9351.0), query length"
                + " (0) should not exceed max_num_tokens (8192)\",\"code\":400}"),
        row(
            "TensorRT-LLM",
            400,
            8192,
            9000,
            "{\"object\":\"error\",\"message\":\"Prompt length (9000) exceeds maximum input length"
                + " (8192). Set log level to info and check TRTGptModel logs\",\"code\":400}"));
  }

  private static Stream<Row> services() {
    return Stream.of(
        error(
            "OpenAI",
            4097,
            7575,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "This model's maximum context length is 4097 tokens. However, your messages resulted in"
                + " 7575 tokens. Please reduce the length of the messages."),
        error(
            "OpenAI, by its code alone",
            0,
            0,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "no"),
        error(
            "OpenAI, with functions and the reply's bound",
            4097,
            4176,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "This model's maximum context length is 4097 tokens. However, you requested 4226 tokens"
                + " (4096 in the messages, 80 in the functions, and 50 in the completion). Please"
                + " reduce the length of the messages, functions, or completion."),
        error(
            "OpenAI, GPT-5",
            272000,
            289650,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in"
                + " 289650 tokens. Please reduce the length of the messages."),
        error(
            "OpenAI responses",
            0,
            0,
            "\"invalid_request_error\"",
            "null",
            "Your input exceeds the context window of this model. Please adjust your input and try"
                + " again."),
        error(
            "Azure",
            128000,
            204308,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "This model's maximum context length is 128000 tokens. However, your messages resulted"
                + " in 204308 tokens. Please reduce the length of the messages."),
        row(
            "Anthropic",
            400,
            200000,
            213462,
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt"
                + " is too long: 213462 tokens > 200000 maximum\"},\"request_id\":\"req_1\"}"),
        row(
            "Anthropic, with the reply's bound",
            400,
            200000,
            199999,
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input"
                + " length and `max_tokens` exceed context limit: 199999 + 50 > 200000, decrease"
                + " input length or `max_tokens` and try again\"}}"),
        row(
            "Anthropic, by its bytes",
            413,
            0,
            0,
            "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":\"Request"
                + " exceeds the maximum size\"}}"),
        row(
            "Gemini",
            400,
            1048576,
            1200293,
            "[{\"error\":{\"code\":400,\"message\":\"The input token count (1200293) exceeds the"
                + " maximum number of tokens allowed"
                + " (1048576).\",\"status\":\"INVALID_ARGUMENT\"}}]"),
        row(
            "Vertex",
            400,
            1048576,
            1594712,
            "{\"error\":{\"code\":400,\"message\":\"Unable to submit request because the input"
                + " token count is 1594712 but model only supports up to 1048576. Reduce the input"
                + " token count and try again.\",\"status\":\"INVALID_ARGUMENT\"}}"),
        row(
            "Bedrock",
            400,
            0,
            0,
            "{\"__type\":\"ValidationException\",\"message\":\"Input is too long for requested"
                + " model.\"}"),
        row(
            "Bedrock, Claude",
            400,
            200000,
            227255,
            "{\"message\":\"The model returned the following errors: prompt is too long: 227255"
                + " tokens > 200000 maximum\"}"),
        row(
            "Bedrock, Titan",
            400,
            8192,
            9000,
            "{\"message\":\"400 Bad Request: Too many input tokens. Max input tokens: 8192, request"
                + " input token count: 9000 \"}"),
        row(
            "Mistral",
            400,
            131072,
            300000,
            "{\"object\":\"error\",\"message\":\"Prompt contains 300000 tokens and 0 draft tokens,"
                + " too large for model with 131072 maximum context length\",\"type\":"
                + "\"invalid_request_prompt\",\"param\":null,\"code\":\"3051\"}"),
        error(
            "DeepSeek",
            131072,
            131134,
            "\"invalid_request_error\"",
            "\"invalid_request_error\"",
            "This model's maximum context length is 131072 tokens. However, you requested 131184"
                + " tokens (131134 in the messages, 50 in the completion). Please reduce the length"
                + " of the messages or completion."),
        error(
            "Groq",
            0,
            0,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "Please reduce the length of the messages or completion."),
        error(
            "Cerebras",
            8192,
            9251,
            "\"invalid_request_error\"",
            "\"context_length_exceeded\"",
            "Please reduce the length of the messages or completion. Current length is 9301 while"
                + " limit is 8192"),
        row(
            "OpenRouter",
            400,
            32768,
            42832,
            "{\"error\":{\"message\":\"This endpoint's maximum context length is 32768 tokens."
                + " However, you requested about 42882 tokens (40832 of text input, 2000 of tool"
                + " input, 50 in the output). Please reduce the length of either one, or use the"
                + " \\\"middle-out\\\" transform to compress your prompt automatically.\","
                + "\"code\":400,\"metadata\":{\"provider_name\":null}}}"),
        row(
            "OpenRouter, of the server behind it",
            502,
            16000,
            17069,
            "{\"error\":{\"message\":\"ConnectionError: {\\\"object\\\":\\\"error\\\","
                + "\\\"message\\\":\\\"This model's maximum context length is 16000 tokens."
                + " However, you requested 17119 tokens (17069 in the messages, 50 in the"
                + " completion).\\\"}\",\"code\":502}}"),
        row(
            "Together",
            422,
            8193,
            9000,
            "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens`"
                + " must be <= 8193. Given: 9000 `inputs` tokens and 50"
                + " `max_new_tokens`\",\"type\":"
                + "\"invalid_request_error\",\"param\":null,\"code\":null}}"),
        row(
            "LiteLLM",
            400,
            131072,
            198305,
            "{\"error\":{\"message\":\"litellm.BadRequestError: OpenAIException -"
                + " {\\\"error\\\":{\\\"message\\\":\\\"You passed 198305 input tokens and"
                + " requested 50 output tokens. However, the model's context length is only 131072"
                + " tokens, resulting in a maximum input length of 131022 tokens.\\\"}}. Received"
                + " Model Group=big\",\"type\":null,\"param\":null,\"code\":\"400\"}}"),
        row(
            "LiteLLM, by its class",
            400,
            0,
            0,
            "{\"error\":{\"message\":\"litellm.ContextWindowExceededError: no\",\"type\":null,"
                + "\"param\":null,\"code\":\"400\"}}"),
        row(
            "LiteLLM, as if the service were away",
            503,
            131072,
            0,
            "{\"error\":{\"message\":\"litellm.ServiceUnavailableError: OpenAIException - Requested"
                + " token count exceeds the model's maximum context length of 131072 tokens.\","
                + "\"code\":\"503\"}}"),
        error(
            "xAI",
            131072,
            537812,
            "null",
            "\"Client specified an invalid argument\"",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
        error(
            "GitHub Copilot",
            128000,
            240000,
            "null",
            "\"model_max_prompt_tokens_exceeded\"",
            "prompt token count of 240000 exceeds the limit of 128000"),
        error(
            "Kimi",
            262144,
            299950,
            "\"invalid_request_error\"",
            "null",
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)"),
        error(
            "DashScope",
            129024,
            0,
            "\"invalid_request_error\"",
            "\"invalid_parameter_error\"",
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1,"
                + " 129024]"),
        error(
            "MiniMax",
            0,
            0,
            "\"bad_request_error\"",
            "null",
            "invalid params, context window exceeds limit (2013)"),
        row(
            "Cohere",
            400,
            8192,
            9000,
            "{\"message\":\"too many tokens: total number of tokens in the prompt cannot exceed"
                + " 8192 - received 9000. Try using a shorter prompt.\"}"),
        row(
            "Fireworks",
            400,
            131071,
            150000,
            "{\"error\":{\"object\":\"error\",\"type\":\"invalid_request_error\",\"message\":\"The"
                + " prompt is too long: 150000, model maximum context length: 131071\"}}"),
        row(
            "Gemini, without the count",
            400,
            1048576,
            0,
            "{\"error\":{\"code\":400,\"message\":\"The input token count exceeds the maximum"
                + " number of tokens allowed (1048576).\",\"status\":\"INVALID_ARGUMENT\"}}"),
        row(
            "watsonx",
            400,
            8192,
            9000,
            "{\"errors\":[{\"code\":\"invalid_input_argument\",\"message\":\"Invalid input argument"
                + " for Model 'ibm/granite': the number of input tokens 9000 cannot exceed the"
                + " total tokens limit 8192 for this"
                + " model\"}],\"trace\":\"t\",\"status_code\":400}"),
        row(
            "SiliconFlow",
            400,
            32768,
            57535,
            "{\"code\":20015,\"message\":\"length of prompt_tokens (57535) must be less than"
                + " max_seq_len (32768).\",\"data\":null}"),
        row(
            "Cloudflare",
            400,
            8192,
            9000,
            "{\"errors\":[{\"message\":\"AiError: AiError: The estimated number of input and"
                + " maximum output tokens (9050) exceeded this model context window limit"
                + " (8192).\",\"code\":5021}],\"success\":false}"),
        row(
            "GitHub Models",
            413,
            8000,
            0,
            "{\"error\":{\"code\":\"tokens_limit_reached\",\"message\":\"Request body too large for"
                + " gpt-4o model. Max size: 8000 tokens.\"}}"),
        error("z.ai, by its code alone", 0, 0, "null", "\"1261\"", "no"),
        error(
            "a server that is not known",
            8192,
            9000,
            "null",
            "null",
            "The total number of tokens in your request (9000) exceeds the model's limit of 8192."),
        error(
            "a server that is not known, with a sign",
            8192,
            9000,
            "null",
            "null",
            "Your request exceeds the maximum number of tokens for this model (9000 > 8192)"),
        row(
            "numbers with commas",
            400,
            256000,
            5958968,
            "{\"error\":\"Prompt has 5,958,968 tokens, but the configured context size is 256,000"
                + " tokens\"}"),
        row(
            "a proxy that takes no body of this size",
            413,
            0,
            0,
            "<h1>413 Request Entity Too Large"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tooLong")
  void aPromptThatIsTooLongIsKnownWithBothNumbers(Row row) throws Exception {
    server.chat(request -> Reply.status(row.status(), row.body()));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.promptLength())
        .contains(new PromptLength(number(row.limit()), number(row.prompt())));
    assertThat(server.chats()).as("it is not asked again").hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tooLong")
  void itIsTheSameInTheBodyOfA200AndInAStream(Row row) throws Exception {
    if (!row.body().contains("\"error\"")) {
      return;
    }
    String one = row.body().startsWith("[") ? row.body().replaceAll("^\\[|]$", "") : row.body();
    for (Reply reply : List.of(Reply.status(200, row.body()), Reply.events("data: " + one))) {
      server.chat(request -> reply);
      InferenceException failure = failure();
      assertThat(failure.kind()).isEqualTo(row.status() == 413 ? failure.kind() : Kind.TOO_LONG);
      assertThat(failure.promptLength().flatMap(said -> boxed(said.limitTokens())))
          .isEqualTo(boxed(number(row.limit())));
    }
  }

  /** What is no such refusal, with the kind that it is. */
  private record Other(String name, int status, String body, Kind kind) {

    @Override
    public String toString() {
      return name;
    }
  }

  private static Other other(String name, int status, Kind kind, String code, String message) {
    return new Other(
        name,
        status,
        "{\"error\":{\"message\":\"%s\",\"code\":%s}}".formatted(message, code),
        kind);
  }

  static Stream<Other> others() {
    return Stream.of(
        other(
            "OpenAI, tokens per minute",
            429,
            Kind.OVERLOADED,
            "\"rate_limit_exceeded\"",
            "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit"
                + " 30000, Requested 45000. The input or output tokens must be reduced."),
        other(
            "Groq, tokens per minute",
            413,
            Kind.OVERLOADED,
            "\"rate_limit_exceeded\"",
            "Request too large for model `llama-3.3-70b` on tokens per minute (TPM): Limit 6000,"
                + " Requested 14810, please reduce your message size and try again."),
        other(
            "Bedrock, throttled",
            429,
            Kind.OVERLOADED,
            "\"ThrottlingException\"",
            "Too many tokens, please wait before trying again."),
        other(
            "a rate by its words alone",
            400,
            Kind.REFUSED,
            "null",
            "rate limit: too many input tokens per minute"),
        other(
            "a name of a tool",
            400,
            Kind.REFUSED,
            "null",
            "#/toolConfig/tools/0/toolSpec/name: expected maxLength: 64, actual: 70"),
        other(
            "an image",
            400,
            Kind.REFUSED,
            "null",
            "messages.0.content.1.image: image exceeds 5 MB maximum: 6000000 bytes > 5242880"
                + " bytes"),
        other(
            "sound",
            400,
            Kind.REFUSED,
            "null",
            "audio input is too long: 2400 seconds in the request, more than 1500"),
        other(
            "an option of the context",
            400,
            Kind.REFUSED,
            "\"invalid_context_length\"",
            "context_length has to be positive"),
        other(
            "the reply's bound, without a number",
            400,
            Kind.REFUSED,
            "null",
            "max_tokens is larger than the context window of the model"),
        other(
            "a number in the request that is none of tokens",
            400,
            Kind.REFUSED,
            "null",
            "top_k 300 in the request exceeds 128, the length of the list"),
        other("a key", 401, Kind.REFUSED, "null", "the key of this context window is wrong"),
        other(
            "a model", 404, Kind.REFUSED, "null", "no model with a maximum context length of 8192"),
        other(
            "an option",
            400,
            Kind.REFUSED,
            "null",
            "num_ctx: the context size has to be a positive number"),
        other("away", 503, Kind.OVERLOADED, "503", "no slot available for this context size"),
        new Other(
            "a validation that repeats the prompt",
            422,
            "{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\",\"x\"],\"msg\":\"Field"
                + " required\",\"input\":\"the user says: prompt is too long: 5 tokens > 4"
                + " maximum\"}]}",
            Kind.REFUSED));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("others")
  void whatIsSaidInNearlyTheSameWordsIsNot(Other other) throws Exception {
    server.chat(request -> Reply.status(other.status(), other.body()));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(other.kind());
    assertThat(failure.promptLength()).isEmpty();
  }

  /** The prompt fits, and the reply's bound is what is too much. */
  private record Bound(String name, String message, int sent, int asked) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bound> bounds() {
    return Stream.of(
        new Bound(
            "vLLM",
            "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum"
                + " context length is 1000 tokens and your request has 203 input tokens (1000 >"
                + " 1000 - 203).",
            1000,
            797),
        new Bound(
            "SGLang",
            "Requested token count exceeds the model's maximum context length of 1000 tokens. You"
                + " requested a total of 1203 tokens: 203 tokens from the input messages and 1000"
                + " tokens for the completion.",
            1000,
            797),
        new Bound(
            "TGI",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given:"
                + " 1000 `inputs` tokens and 1024 `max_new_tokens`",
            1024,
            512),
        new Bound(
            "Anthropic",
            "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease"
                + " input length or `max_tokens` and try again",
            8192,
            241),
        new Bound(
            "OpenRouter",
            "This endpoint's maximum context length is 131072 tokens. However, you requested about"
                + " 138956 tokens (130884 of text input, 8072 in the output).",
            8072,
            188),
        new Bound(
            "only the total",
            "This model's maximum context length is 4097 tokens, however you requested 4226"
                + " tokens.",
            1000,
            871),
        new Bound(
            "OpenAI, the model's own bound",
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens,"
                + " whereas you provided 100000.",
            100000,
            16384),
        new Bound(
            "DeepSeek, the model's own bound",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            10000,
            8192),
        new Bound(
            "Groq, the model's own bound",
            "`max_completion_tokens` must be less than or equal to `40960`, the maximum value for"
                + " `max_completion_tokens` is less than the `context_window` for this model",
            50000,
            40960),
        new Bound(
            "Anthropic, the model's own bound",
            "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for"
                + " claude-sonnet-4",
            128000,
            64000),
        new Bound(
            "TGI, the model's own bound",
            "Input validation error: `max_new_tokens` must be <= 192. Given: 500",
            500,
            192),
        new Bound(
            "Bedrock, the model's own bound",
            "The maximum tokens you requested exceeds the model limit of 4096. Try again with a"
                + " maximum tokens value that is lower than 4096.",
            5000,
            4096),
        new Bound(
            "Cloudflare, the model's own bound",
            "max_completion_tokens is too large: 100000. This model supports at most 16384",
            100000,
            16384),
        new Bound(
            "DashScope, the model's own bound",
            "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
            10000,
            8192),
        new Bound(
            "Databricks, the model's own bound",
            "Bad request: rpc error: code = InvalidArgument desc = max_tokens (10000) cannot exceed"
                + " 8192. Please reduce the length of max output tokens generated.",
            10000,
            8192),
        new Bound(
            "Cohere, the model's own bound",
            "max tokens must be less than or equal to 4096, the maximum output for this model -"
                + " received 100000.",
            100000,
            4096),
        new Bound(
            "Vertex, the model's own bound",
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the"
                + " supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and"
                + " try again.",
            100000,
            8192),
        new Bound(
            "the whole context",
            "`max_tokens` (100000) is greater than the model's context length (8192)",
            100000,
            8192),
        new Bound(
            "vLLM, the model's own bound",
            "max_completion_tokens=131072 cannot be greater than max_model_len=max_total_tokens="
                + "65536. Please request fewer output tokens.",
            131072,
            65536));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bounds")
  void whereTheReplysBoundIsTooMuchItIsLowered(Bound bound) throws Exception {
    server.chat(request ->
        room(request) > bound.asked()
            ? ScriptedServers.error(400, bound.message(), "", "")
            : Reply.answer("fine"));
    assertThat(ask(bound.sent())).isInstanceOf(Answered.class);
    assertThat(server.chats())
        .extracting(LengthRefusalsTest::room)
        .containsExactly(bound.sent(), bound.asked());
  }

  /** It counts no further than to the first token that is too much. */
  @Test
  void aServerThatStopsCountingIsNotAskedForOneTokenLessEachTime() throws Exception {
    int prompt = 8100;
    server.chat(request -> {
      int room = room(request);
      return prompt + room > 8192
          ? ScriptedServers.error(
              400,
              "This model's maximum context length is 8192 tokens. However, you requested %d output"
                      .formatted(room)
                  + " tokens and your prompt contains at least %d input tokens, for a total of at"
                      .formatted(8192 - room + 1)
                  + " least 8193 tokens.",
              "input_tokens",
              "400")
          : Reply.answer("fine");
    });
    assertThat(ask(4096)).isInstanceOf(Answered.class);
    assertThat(server.chats()).hasSizeLessThan(6);
  }

  /** As llama-cpp-python does: the head of a stream is sent before the prompt is counted. */
  @Test
  void aStreamThatEndsWithoutAWordIsAskedForAsAWhole() throws Exception {
    server.chat(request ->
        request.json().path("stream").asBoolean()
            ? Reply.events()
            : server.chats().size() == 2
                ? Reply.raw("")
                : ScriptedServers.error(
                    400,
                    "This model's maximum context length is 512 tokens. However, you requested 1265"
                        + " tokens (1215 in the messages, 50 in the completion). Please reduce the"
                        + " length of the messages or completion.",
                    "messages",
                    "context_length_exceeded"));
    InferenceException failure = failure();
    assertThat(failure.kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failure.promptLength())
        .contains(new PromptLength(OptionalLong.of(512), OptionalLong.of(1215)));
    assertThat(server.chats()).as("a connection is lost between").hasSize(3);
  }

  @Test
  void aPromptThatIsRefusedBeforeItIsSentHasBothNumbersToo() throws Exception {
    server.models(
        request -> Reply.status(200, "{\"data\":[{\"id\":\"small\",\"max_model_len\":4}]}"));
    InferenceException failure = failure();
    assertThat(failure.promptLength())
        .contains(new PromptLength(OptionalLong.of(4), OptionalLong.of(9)));
    assertThat(server.chats()).isEmpty();
  }

  private static OptionalLong number(long value) {
    return value == 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private static int room(Recorded request) {
    return request.json().path("max_tokens").asInt();
  }

  private InferenceException failure() throws InterruptedException {
    return ((Failed) ask(REPLY)).failure();
  }

  private Attempt ask(int replyTokens) throws InterruptedException {
    ModelServer client =
        new ModelServer(
            server.uri(),
            ProviderSettings.fromConfig(config("client.max-reply-tokens = 200000")),
            http);
    return client.complete(
        request("c").reply(ReplyForm.text(replyTokens)),
        "r",
        Duration.ofSeconds(20),
        part -> {},
        new UsageTally());
  }
}
