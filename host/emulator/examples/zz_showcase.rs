//! temporary
use std::collections::BTreeMap;
fn main() {
    let _ = BTreeMap::<u8, u8>::new();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let running = ostler_emulator::Emulator::start(ostler_emulator::Options {
            listen: "127.0.0.1:4599".parse().unwrap(),
            control_token: Some("tok".into()),
            ..Default::default()
        }).await.unwrap();
        let seed = ostler_emulator::Seed {
            guild: "The stables".into(), bot: "ostler".into(), bot_token: Some("a.b.c".into()),
            bot_permissions: 1<<3, text_channels: vec!["general".into(), "approvals".into()],
            forums: vec!["ideas".into()],
            users: ["operator", "guest"].map(|n| ostler_emulator::SeedUser { username: n.into(), administrator: n == "operator" }).into(),
        };
        println!("{:?}", running.seed(&seed).unwrap());
        std::future::pending::<()>().await
    });
}
