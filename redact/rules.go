package redact

// A rule is one kind of token that begins with a public prefix. The prefix
// stays; what follows it is the secret part.
type rule struct {
	kind string
	// source names the document that gives the format.
	source   string
	prefixes []string
	chars    class // what the secret part is made of
	// min is the shortest secret part that is taken, full the length that
	// the vendor issues. From full on any text that is no placeholder is
	// taken; below it the text must also look random, for a token may have
	// been cut short.
	min, full int
	flags     ruleFlags
}

type ruleFlags uint8

const (
	// atEdge: what stands before the prefix must be no letter or digit.
	// For prefixes that are short, or could be the end of a word.
	atEdge ruleFlags = 1 << iota
	// exact: the secret part has exactly the full length.
	exact
	// random: a secret part of the full length must have a digit, or look
	// random, for names can begin with the prefix, too.
	random
	// crc: the last six characters of a part of the full length are a
	// CRC-32 in base 62. One that is right settles it; one that is wrong
	// settles nothing, for vendors have changed formats before.
	crc
	// generic: a prefix that longer ones of other rules begin with, too.
	generic
)

// kinds of replacement that are not in the table of rules.
const (
	kindKnown      = "known-value"
	kindSecret     = "secret"
	kindUser       = "user"
	kindPassword   = "url-password"
	kindBasic      = "basic-auth"
	kindBearer     = "bearer-token"
	kindJWT        = "jwt"
	kindPrivateKey = "private-key"
	kindWebhook    = "webhook-url"
	kindSAS        = "azure-sas"
	kindTelegram   = "telegram-token"
)

// otherKinds lists them, for the recognition of replacements.
var otherKinds = [...]string{
	kindKnown, kindSecret, kindUser, kindPassword, kindBasic, kindBearer, kindJWT,
	kindPrivateKey, kindWebhook, kindSAS, kindTelegram,
}

// rules is the table of tokens with a prefix. It is data laid out by the
// linker: nothing is built for a rule before a keyword of it was met.
var rules = [...]rule{
	// Source hosts and package registries.
	{"github-token", "GitHub: Behind GitHub's new authentication token formats", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, word, 20, 36, crc},
	{"github-token", "GitHub: About authentication to GitHub (fine-grained personal access tokens)", []string{"github_pat_"}, word, 22, 82, 0},
	{"gitlab-token", "GitLab: Token overview, token prefixes", []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-"}, wordDot, 16, 20, atEdge},
	{"bitbucket-token", "Atlassian: Bitbucket Cloud app passwords and access tokens", []string{"ATBB", "ATCTT3x"}, wordDash | equals, 28, 32, atEdge},
	{"atlassian-token", "Atlassian: Manage API tokens for your Atlassian account", []string{"ATATT3x"}, wordDash | equals, 40, 180, atEdge},
	{"npm-token", "npm: About access tokens", []string{"npm_"}, alnum, 20, 36, atEdge | crc},
	{"pypi-token", "PyPI help: API tokens (serialized macaroons, version 2)", []string{"pypi-AgE"}, wordDash, 40, 85, 0},
	{"rubygems-key", "RubyGems guides: API key scopes", []string{"rubygems_"}, hexAny, 20, 48, 0},
	{"docker-token", "Docker: Personal and organization access tokens", []string{"dckr_pat_", "dckr_oat_"}, wordDash, 20, 27, 0},

	// Clouds and platforms.
	{"aws-access-key", "AWS IAM: Reference, unique identifiers", []string{"AKIA", "ASIA", "ABIA", "ACCA"}, upperNum, 16, 16, atEdge | exact},
	{"aws-session-token", "AWS STS: GetSessionToken, sample responses", []string{"IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"}, base64Any, 60, 200, 0},
	{"aws-bedrock-key", "Amazon Bedrock: API keys", []string{"ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-"}, base64Any, 40, 110, 0},
	{"google-api-key", "Google Cloud: Manage API keys", []string{"AIza"}, wordDash, 30, 35, 0},
	{"google-oauth", "Google Identity: Using OAuth 2.0 (client secrets, access and refresh tokens)", []string{"GOCSPX-", "ya29."}, wordDot, 20, 28, 0},
	{"google-oauth", "Google Identity: Using OAuth 2.0 (refresh tokens)", []string{"1//0"}, wordDash, 30, 60, atEdge | random},
	{"digitalocean-token", "DigitalOcean: Personal access token format", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, hexAny, 32, 64, 0},
	{"heroku-key", "Heroku: Platform API, token prefixes", []string{"HRKU-"}, wordDash, 30, 36, atEdge},
	{"databricks-token", "Databricks: Personal access token authentication", []string{"dapi"}, hexAny, 32, 32, atEdge | exact},
	{"vault-token", "HashiCorp Vault: Tokens, token prefixes", []string{"hvs.", "hvb.", "hvr."}, wordDash, 20, 24, atEdge},
	{"pulumi-token", "Pulumi Cloud: Access tokens", []string{"pul-"}, hexAny, 40, 40, atEdge | exact},
	{"supabase-key", "Supabase: Understanding API keys, access tokens", []string{"sbp_", "sb_secret_"}, wordDash, 20, 31, atEdge},
	{"planetscale-token", "PlanetScale: Service tokens and database passwords", []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, wordDot, 20, 43, 0},
	{"netlify-token", "Netlify: Personal access tokens", []string{"nfp_"}, alnum, 20, 36, atEdge},
	{"vercel-token", "Vercel: Token formats", []string{"vcp_", "vck_", "vca_", "vci_", "vcr_"}, alnum, 24, 56, atEdge},
	{"fly-token", "Fly.io: Access tokens", []string{"fo1_", "fm2_", "fm1r_", "fm1a_"}, base64Any, 40, 43, atEdge},
	{"tailscale-key", "Tailscale: Key prefixes", []string{"tskey-"}, wordDash, 20, 30, 0},
	{"doppler-token", "Doppler: Token formats", []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, wordDot, 30, 40, atEdge},

	// Model providers. The generic rule stands for those whose keys have no
	// prefix of their own behind sk-.
	{"openai-key", "OpenAI: API reference, authentication", []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, wordDash, 20, 40, atEdge},
	{"anthropic-key", "Anthropic: API overview, authentication", []string{"sk-ant-"}, wordDash, 20, 90, atEdge},
	{"openrouter-key", "OpenRouter: API authentication", []string{"sk-or-v1-"}, wordDash, 20, 64, atEdge},
	{"api-key", "OpenAI and compatible providers: API keys that begin with sk-", []string{"sk-"}, wordDash, 20, 48, atEdge | random | generic},
	{"groq-key", "Groq: API keys", []string{"gsk_"}, alnum, 20, 52, atEdge},
	{"huggingface-token", "Hugging Face Hub: User access tokens", []string{"hf_", "api_org_"}, alnum, 20, 34, atEdge},
	{"xai-key", "xAI: API reference, authentication", []string{"xai-"}, alnum, 20, 80, atEdge},
	{"perplexity-key", "Perplexity: API key management", []string{"pplx-"}, alnum, 20, 48, atEdge},
	{"replicate-token", "Replicate: API tokens", []string{"r8_"}, word, 20, 37, atEdge},
	{"nvidia-key", "NVIDIA NIM: API keys", []string{"nvapi-"}, wordDash, 20, 64, atEdge},
	{"fireworks-key", "Fireworks AI: Authentication", []string{"fw_"}, alnum, 20, 24, atEdge | random},
	{"together-key", "Together AI: API keys", []string{"tgp_v1_"}, wordDash, 20, 43, 0},
	{"cerebras-key", "Cerebras Inference: API keys", []string{"csk-"}, alnum, 20, 48, atEdge},
	{"pinecone-key", "Pinecone: Manage API keys", []string{"pcsk_"}, word, 20, 70, 0},
	{"langsmith-key", "LangSmith: Create an account and API key", []string{"lsv2_pt_", "lsv2_sk_"}, word, 20, 43, 0},

	// Services.
	{"slack-token", "Slack: Token types", []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.", "xoxc-", "xoxd-", "xapp-", "xwfp-"}, wordDot | percent, 16, 40, atEdge},
	{"stripe-key", "Stripe: API keys", []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}, alnum, 16, 24, atEdge},
	{"stripe-key", "Stripe: Webhook signing secrets", []string{"whsec_"}, base64Std, 20, 32, atEdge},
	{"twilio-key", "Twilio: API keys (SID of a key)", []string{"SK"}, digit | hexLower, 32, 32, atEdge | exact},
	{"sendgrid-key", "SendGrid: API keys", []string{"SG."}, wordDot, 40, 66, atEdge | random},
	{"mailgun-key", "Mailgun: API authentication", []string{"key-"}, digit | hexLower, 32, 32, atEdge | exact},
	{"brevo-key", "Brevo: API keys", []string{"xkeysib-", "xsmtpsib-"}, hexAny | dash, 40, 81, 0},
	{"grafana-token", "Grafana: Service account and access policy tokens", []string{"glsa_", "glc_"}, base64Any, 24, 41, atEdge},
	{"sentry-token", "Sentry: Auth tokens", []string{"sntrys_", "sntryu_"}, base64Any, 32, 64, 0},
	{"shopify-token", "Shopify: Authentication, access tokens", []string{"shpat_", "shpss_", "shpca_", "shppa_"}, hexAny, 20, 32, 0},
	{"square-token", "Square: Access tokens", []string{"sq0atp-", "sq0csp-"}, wordDash, 20, 22, 0},
	{"postman-key", "Postman: API keys", []string{"PMAK-"}, hexAny | dash, 40, 59, atEdge},
	{"linear-key", "Linear: API and OAuth keys", []string{"lin_api_", "lin_oauth_"}, alnum, 20, 40, 0},
	{"notion-token", "Notion: Authorization, token formats", []string{"ntn_"}, alnum, 30, 46, atEdge},
	{"notion-token", "Notion: Authorization, older token format", []string{"secret_"}, alnum, 43, 43, atEdge | exact | random},
	{"figma-token", "Figma: Personal access tokens", []string{"figd_"}, wordDash, 20, 40, atEdge},
	{"newrelic-key", "New Relic: API keys", []string{"NRAK-"}, upperNum, 20, 27, 0},
	{"circleci-token", "CircleCI: API tokens", []string{"CCIPAT_", "CCIPRJ_"}, word, 20, 63, 0},
	{"buildkite-token", "Buildkite: API access tokens", []string{"bkua_"}, hexAny, 32, 40, atEdge},
	{"posthog-key", "PostHog: Personal API keys", []string{"phx_"}, alnum, 30, 43, atEdge},
	{"onepassword-token", "1Password: Service account tokens", []string{"ops_eyJ"}, wordDash, 60, 250, atEdge},

	// Private keys in forms other than PEM.
	{"age-key", "age: Format specification, X25519 and hybrid identities", []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"}, upperNum, 30, 58, 0},
	{kindPrivateKey, "OpenSSH: PROTOCOL.key (base64 of openssh-key-v1)", []string{"b3BlbnNzaC1rZXktdjE"}, base64Any, 40, 200, 0},
}
