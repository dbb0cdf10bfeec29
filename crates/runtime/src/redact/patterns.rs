//! The table of what a secret looks like.
//!
//! One row is one kind: its name (which stands in the mark), why it is here, from which level
//! on it applies, the literals without which it cannot occur, the expression, and an example
//! that the tests run. Group 1, where there is one, is the part that is replaced.
//!
//! To add a kind, add a row. The example is a template, so that the source holds nothing that
//! looks like a secret: `«…»` encloses what must disappear; `{a36}` becomes 36 letters and
//! digits, `{h32}` hexadecimal digits, `{d9}` digits, `{u16}` capitals, `{s1}` a space.

use super::Level;

/// One kind of secret.
#[derive(Debug)]
pub struct Pattern {
    /// The name in the mark, such as `github-token`.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// The lowest level that looks for it.
    pub level: Level,
    /// In lower case: a text without any of these cannot contain it.
    pub(super) triggers: &'static [&'static str],
    /// What it looks like.
    pub(super) regex: &'static str,
    /// A template of a text that contains it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests expand it"))]
    pub(super) example: &'static str,
}

const fn certain(
    name: &'static str,
    about: &'static str,
    triggers: &'static [&'static str],
    regex: &'static str,
    example: &'static str,
) -> Pattern {
    Pattern { name, about, level: Level::Result, triggers, regex, example }
}

const fn likely(
    name: &'static str,
    about: &'static str,
    triggers: &'static [&'static str],
    regex: &'static str,
    example: &'static str,
) -> Pattern {
    Pattern { name, about, level: Level::Record, triggers, regex, example }
}

/// Every kind, the certain ones first: where two overlap, the earlier one names the mark.
pub static PATTERNS: &[Pattern] = &[
    // Keys as blocks.
    certain(
        "private-key",
        "PEM, OpenSSH and PGP private keys, to the end marker or, where it was cut off, to the end",
        &["private key"],
        // Only with key material behind it: code that merely names the marker is left alone.
        r#"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s"'+,>|#*-]|\\[nr]|[A-Za-z-]+: [^\r\n\\]*)*?(?:[A-Za-z0-9+/=]{24}(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)|[A-Za-z0-9+/=]+\z)"#,
        "a «-----BEGIN RSA PRIVATE{s1}KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE{s1}KEY-----» b",
    ),
    certain(
        "putty-key",
        "the private part of a PuTTY key file",
        &["private-lines:"],
        // Long lines only: a word that follows must not be taken for the key, as it may begin the next.
        r"Private-Lines: \d+\s+([A-Za-z0-9+/=]{16,}(?:\s+[A-Za-z0-9+/=]{16,})*(?:\s+[A-Za-z0-9+/]*={1,2})?)",
        "Private-Lines: 2\n«{a64}\n{a64}»",
    ),
    certain(
        "age-key",
        "age's secret key",
        &["age-secret-key-1"],
        r"(?i-u:\b)AGE-SECRET-KEY-1[0-9A-Z]{58}(?-u:\b)",
        "# key\n«AGE-SECRET-KEY-1{u58}»",
    ),
    // Clouds.
    certain(
        "aws-access-key-id",
        "AWS access key id, long-lived or temporary",
        &["akia", "asia", "abia", "acca"],
        r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)",
        "id «AKIA{u16}», region",
    ),
    certain(
        "aws-secret-key",
        "AWS secret access key; it has no prefix, so only in an assignment",
        &["secret_access_key", "secretaccesskey", "aws_secret", "awssecret"],
        r#"(?i:secret_?access_?key|aws_?secret(?:_?key)?)["']?\s*(?:=>|[:=])\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)"#,
        "aws_secret_access_key = «{a40}»\n",
    ),
    certain(
        "azure-account-key",
        "the key in a connection string of Azure",
        &["accountkey", "sharedaccesskey"],
        r"(?i:AccountKey|SharedAccessKey)\s*=\s*([A-Za-z0-9+/]{40,}={0,2})",
        "AccountName=x;AccountKey=«{a86}==»;EndpointSuffix=y",
    ),
    certain(
        "azure-client-secret",
        "client secret of an Entra application",
        &["q~"],
        r"(?-u:\b)[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
        "secret «abc8Q~{a34}»",
    ),
    certain(
        "google-api-key",
        "API key of Google Cloud, Maps, Gemini and Firebase",
        &["aiza"],
        r"(?-u:\b)(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|\z)",
        "?key=«AIza{a35}»&q=1",
    ),
    certain(
        "google-oauth",
        "OAuth access token or client secret of Google",
        &["ya29.", "gocspx-"],
        r"(?-u:\b)(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{28})",
        "got «ya29.{a40}» back",
    ),
    certain(
        "digitalocean-token",
        "token of DigitalOcean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"(?-u:\b)do[opr]_v1_[a-f0-9]{64}(?-u:\b)",
        "«dop_v1_{h64}»",
    ),
    certain(
        "databricks-token",
        "personal access token of Databricks",
        &["dapi"],
        r"(?-u:\b)dapi[a-f0-9]{32}(?:-\d)?(?-u:\b)",
        "«dapi{h32}»",
    ),
    certain(
        "vault-token",
        "token of HashiCorp Vault",
        &["hvs.", "hvb.", "hvr."],
        r"(?-u:\b)hv[sbr]\.[A-Za-z0-9_-]{24,}",
        "«hvs.{a90}»",
    ),
    certain(
        "terraform-token",
        "token of HCP Terraform",
        &[".atlasv1."],
        r"(?-u:\b)[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
        "«{a14}.atlasv1.{a64}»",
    ),
    certain(
        "tailscale-key",
        "key of Tailscale",
        &["tskey-"],
        r"(?-u:\b)tskey-[a-z]+-[A-Za-z0-9]+(?:-[A-Za-z0-9]{16,})",
        "«tskey-auth-{a16}-{a32}»",
    ),
    // Code hosting and registries.
    certain(
        "github-token",
        "GitHub: personal, OAuth, app, installation and refresh tokens",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"(?-u:\b)gh[pousr]_[A-Za-z0-9_.-]{35,}[A-Za-z0-9]",
        "https://«ghp_{a36}»@example.com",
    ),
    certain(
        "github-pat",
        "GitHub: fine-grained personal access token",
        &["github_pat_"],
        r"(?-u:\b)github_pat_[A-Za-z0-9_]{36,}",
        "«github_pat_{a22}_{a59}»",
    ),
    certain(
        "gitlab-token",
        "GitLab: personal, deploy, runner and job tokens",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-"],
        r"(?-u:\b)gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*",
        "PRIVATE-TOKEN «glpat-{a20}»",
    ),
    certain(
        "npm-token",
        "token of the npm registry",
        &["npm_"],
        r"(?-u:\b)npm_[A-Za-z0-9]{36}(?-u:\b)",
        "//registry.npmjs.org/:x=«npm_{a36}»",
    ),
    certain(
        "pypi-token",
        "upload token of PyPI",
        &["pypi-ag"],
        r"(?-u:\b)pypi-Ag[A-Za-z0-9_-]{40,}",
        "«pypi-AgE{a90}»",
    ),
    certain(
        "rubygems-key",
        "API key of RubyGems",
        &["rubygems_"],
        r"(?-u:\b)rubygems_[a-f0-9]{48}(?-u:\b)",
        "«rubygems_{h48}»",
    ),
    certain(
        "crates-token",
        "API token of crates.io",
        &["cio"],
        r"(?-u:\b)cio[A-Za-z0-9]{32}(?-u:\b)",
        "«cio{a32}»",
    ),
    certain(
        "docker-token",
        "personal access token of Docker Hub",
        &["dckr_pat_", "dckr_oat_"],
        r"(?-u:\b)dckr_[po]at_[A-Za-z0-9_-]{27,}",
        "«dckr_pat_{a27}»",
    ),
    // Models.
    certain(
        "anthropic-key",
        "API key of Anthropic",
        &["sk-ant-"],
        r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{20,}",
        "«sk-ant-api03-{a93}»",
    ),
    certain(
        "openai-key",
        "API key of OpenAI, and of the providers that copied its form",
        &["sk-"],
        r"(?-u:\b)sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}(?-u:\b))",
        "key «sk-proj-{a48}» end",
    ),
    certain(
        "huggingface-token",
        "token of Hugging Face",
        &["hf_"],
        r"(?-u:\b)hf_[A-Za-z0-9]{30,}(?-u:\b)",
        "«hf_{a34}»",
    ),
    certain(
        "groq-key",
        "API key of Groq",
        &["gsk_"],
        r"(?-u:\b)gsk_[A-Za-z0-9]{48,}(?-u:\b)",
        "«gsk_{a52}»",
    ),
    certain(
        "xai-key",
        "API key of xAI",
        &["xai-"],
        r"(?-u:\b)xai-[A-Za-z0-9]{60,}(?-u:\b)",
        "«xai-{a80}»",
    ),
    certain(
        "replicate-token",
        "token of Replicate",
        &["r8_"],
        r"(?-u:\b)r8_[A-Za-z0-9]{37}(?-u:\b)",
        "«r8_{a37}»",
    ),
    certain(
        "perplexity-key",
        "API key of Perplexity",
        &["pplx-"],
        r"(?-u:\b)pplx-[A-Za-z0-9]{40,}(?-u:\b)",
        "«pplx-{a48}»",
    ),
    // Messages and mail.
    certain(
        "slack-token",
        "Slack: bot, user, app, refresh and session tokens",
        &["xoxa-", "xoxb-", "xoxe", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-"],
        r"(?-u:\b)(?:xox[abcdeoprs](?:\.xox[bp])?|xapp)-[0-9A-Za-z%-]{10,}",
        "«xoxb-{d12}-{a24}»",
    ),
    certain(
        "slack-webhook",
        "address that posts to a channel of Slack",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})",
        "https://hooks.slack.com/services/«T{u8}/B{u8}/{a24}»",
    ),
    certain(
        "discord-token",
        "bot token of Discord; its form alone is too plain, so only beside a word of its world",
        &["discord", "bot ", "bot_token"],
        r"(?-u:\b)[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
        "discord: «MT{a22}.{a6}.{a27}»",
    ),
    certain(
        "discord-webhook",
        "address that posts to a channel of Discord",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/\d+/([A-Za-z0-9_-]{40,})",
        "https://discord.com/api/webhooks/{d18}/«{a68}»",
    ),
    certain(
        "telegram-token",
        "bot token of Telegram",
        &[":aa"],
        r"(?-u:\b)(\d{8,10}:AA[A-Za-z0-9_-]{32,33})(?:[^A-Za-z0-9_-]|\z)",
        "bot «{d10}:AA{a33}» on",
    ),
    certain(
        "sendgrid-key",
        "API key of SendGrid",
        &["sg."],
        r"(?-u:\b)SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
        "«SG.{a22}.{a43}»",
    ),
    certain(
        "mailchimp-key",
        "API key of Mailchimp",
        &["-us"],
        r"(?-u:\b)[0-9a-f]{32}-us\d{1,2}(?-u:\b)",
        "«{h32}-us12»",
    ),
    certain(
        "twilio-key",
        "API key of Twilio",
        &[
            "sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb",
            "skc", "skd", "ske", "skf",
        ],
        r"(?-u:\b)SK[0-9a-f]{32}(?-u:\b)",
        "«SK{h32}»",
    ),
    // Money, shops, services.
    certain(
        "stripe-key",
        "live secret or restricted key of Stripe, or the secret of a webhook",
        &["sk_live_", "rk_live_", "whsec_"],
        r"(?-u:\b)(?:[sr]k_live_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/]{32,}=*)",
        "«sk_live_{a24}»",
    ),
    certain(
        "shopify-token",
        "token or shared secret of Shopify",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?-u:\b)shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?-u:\b)",
        "«shpat_{h32}»",
    ),
    certain(
        "atlassian-token",
        "API token of Atlassian",
        &["atatt3"],
        r"(?-u:\b)ATATT3[A-Za-z0-9_=-]{60,}",
        "«ATATT3{a180}»",
    ),
    certain(
        "linear-key",
        "API key of Linear",
        &["lin_api_", "lin_oauth_"],
        r"(?-u:\b)lin_(?:api|oauth)_[A-Za-z0-9]{32,}(?-u:\b)",
        "«lin_api_{a40}»",
    ),
    certain(
        "notion-token",
        "integration token of Notion",
        &["ntn_"],
        r"(?-u:\b)ntn_\d{11}[A-Za-z0-9]{35}(?-u:\b)",
        "«ntn_{d11}{a35}»",
    ),
    certain(
        "figma-token",
        "personal access token of Figma",
        &["figd_"],
        r"(?-u:\b)figd_[A-Za-z0-9_-]{36,}",
        "«figd_{a40}»",
    ),
    certain(
        "grafana-token",
        "service account token of Grafana",
        &["glsa_"],
        r"(?-u:\b)glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}(?-u:\b)",
        "«glsa_{a32}_{h8}»",
    ),
    certain(
        "sentry-token",
        "auth token of Sentry",
        &["sntrys_", "sntryu_"],
        r"(?-u:\b)sntry[su]_[A-Za-z0-9+/=_-]{60,}",
        "«sntryu_{h64}»",
    ),
    certain(
        "new-relic-key",
        "user key of New Relic",
        &["nrak-"],
        r"(?-u:\b)NRAK-[A-Z0-9]{27}(?-u:\b)",
        "«NRAK-{u27}»",
    ),
    certain(
        "supabase-token",
        "access token of Supabase",
        &["sbp_"],
        r"(?-u:\b)sbp_[a-f0-9]{40}(?-u:\b)",
        "«sbp_{h40}»",
    ),
    // Forms that many services share.
    certain(
        "jwt",
        "a signed web token: header, claims, signature",
        &["eyj"],
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        "id «eyJ{a20}.eyJ{a40}.{a43}» end",
    ),
    certain(
        "database-url",
        "the password in the address of a database",
        &["postgres", "mysql", "mariadb", "mongodb", "redis", "amqp", "mssql", "clickhouse"],
        r#"(?i:(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse)(?:\+[a-z0-9]+)?)://[^\s:/@"'`<>⟦⟧]*:([^\s/"'`<>${\[⟦⟧][^\s/"'`<>⟦⟧]*)@"#,
        "DATABASE_URL=postgres://app:«{a20}»@db:5432/app",
    ),
    // Guesses, for the record only. A value may not begin with a mark: what was redacted
    // once stays as it is.
    likely(
        "authorization",
        "an Authorization header, scheme and all",
        &["authorization"],
        r#"(?i:\bauthorization)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?([^\s"'\\⟦⟧][^\r\n"'\\]*)"#,
        "curl -H 'Authorization: «Basic {a24}»' x",
    ),
    likely(
        "bearer-token",
        "what follows the word Bearer",
        &["bearer"],
        r"(?i:\bbearer\s+)([A-Za-z0-9._~+/-]{16,}=*)",
        "sent bearer «{a32}» to",
    ),
    likely(
        "cookie",
        "a Cookie or Set-Cookie header",
        &["cookie"],
        r#"(?i:\bcookie)(?:\\*["'])?\s*:\s*(?:\\*["'])?([^\s"'\\⟦⟧][^\r\n"'\\]*)"#,
        "Set-Cookie: «sid={a24}; Path=/»\nnext",
    ),
    likely(
        "url-password",
        "the password in scheme://user:password@host",
        &["://"],
        r#"://[^\s:/@?#"'`<>⟦⟧]*:([^\s/"'`<>⟦⟧]+)@"#,
        "https://me:«{a12}»@example.com/x",
    ),
    likely(
        "url-token",
        "a long user name in an address without a password is a token",
        &["://"],
        r#"://([^\s:/@?#"'`<>⟦⟧]{20,})@"#,
        "https://«{a32}»@example.com/x",
    ),
    likely(
        "azure-signature",
        "the signature of a shared access address",
        &["sig="],
        r"[?&]sig=([A-Za-z0-9%/+=_-]{30,})",
        "https://x/y?sv=1&sig=«{a43}%3D»&se=2",
    ),
    likely(
        "flag",
        "a secret on a command line: --password x",
        &["pass", "token", "secret", "key", "credential"],
        r#"(?i:(?:^|[\s"'])--?[a-z0-9-]{0,40}(?:password|passwd|passphrase|token|secret|api-?key|access-?key|private-?key|credentials?)(?:\s+|=))["']?([^\s"'⟦⟧-][^\s"'⟦⟧]*)"#,
        "login --user me --password «{a10}» --now",
    ),
    likely(
        "user-flag",
        "curl's -u user:password",
        &["-u", "--user"],
        r#"(?:\s-u\s*|--user[\s=]+)["']?[^\s:"'⟦⟧]+:([^\s"'⟦⟧]+)"#,
        "curl -u me:«{a10}» x",
    ),
    likely(
        "sshpass",
        "sshpass -p password",
        &["sshpass"],
        r#"sshpass\s+-p\s*["']?([^\s"'⟦⟧]+)"#,
        "sshpass -p «{a10}» ssh x",
    ),
    likely(
        "netrc",
        "a line of .netrc",
        &["password"],
        r"(?i:\blogin\s+\S+\s+password\s+)([^\s⟦⟧]+)",
        "machine x login me password «{a10}»",
    ),
    likely(
        "assignment",
        "a value that is given to a name such as password, token or api_key",
        &["pass", "pwd", "secret", "token", "key", "credential"],
        r#"(?i:(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)(?:[_-][a-z0-9_-]{1,30})?)(?:\\*["'`])?\s*(?:=>|:=|={1,3}|:)\s*(?:\\+"([^"\\\r\n⟦⟧]+)|"((?:[^"\\\r\n⟦⟧]|\\.)(?:[^"\\\r\n]|\\.)*)|'([^'\r\n⟦⟧][^'\r\n]*)|([^\s"'`\\,;&${<(\[=:⟦⟧][^\s"'`\\,;&⟦⟧]*))"#,
        "DB_PASSWORD=«{a10}» run",
    ),
];
